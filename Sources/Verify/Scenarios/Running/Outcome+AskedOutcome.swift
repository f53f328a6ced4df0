import FlowKernel
import LuaRuntime

extension Outcome {
  /// The outcome as scripts see it: `kind`, `text`, and `revision`, or `reason` and `by`.
  var described: Value {
    switch self {
    case .passed(let commit):
      [
        "kind": "passed", "revision": .integer(commit.revision),
        "text": .string(commit.description),
      ]
    case .refused(let refusal):
      [
        "kind": "refused", "reason": .string(refusal.reason ?? refusal.description),
        "by": .string(refusal.rejectedBy.description), "text": .string(refusal.description),
      ]
    case .failed(let failure):
      Outcome.described(
        failed: failure.kind.rawValue, reason: failure.message, text: failure.summary)
    }
  }

  /// Returns a failure as scripts see it.
  static func described(failed kind: String, reason: String, text: String) -> Value {
    ["kind": "failed", "reason": .string(reason), "by": .string(kind), "text": .string(text)]
  }
}
