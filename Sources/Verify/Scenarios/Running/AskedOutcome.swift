import FlowKernel
import LuaRuntime

/// A sentence about an outcome that a scenario asked for and did not get.
struct AskedOutcome: CustomStringConvertible {
  /// The question: `outcome`, `because` or `by`.
  let kind: String
  let action: String
  /// The expected outcome, reason, or name of the rule that stops the action.
  let wanted: String
  /// The actual outcome, as `Outcome.described` returns it.
  let outcome: Value

  var description: String {
    let verb = isFailure ? "fail" : "be refused"
    return switch kind {
    case "because":
      "\(action) was to \(verb) because of \(Value.quoted(wanted, limit: 200)), but \(found)"
    case "by":
      "\(action) was to \(verb) by \(wanted), but "
        + (isFailure ? "it failed by \(outcome["by"]?.stringValue ?? ""): \(text)" : found)
    default: "\(action) was to \(wanted), but \(found)"
    }
  }

  var text: String { outcome["text"]?.stringValue ?? "" }
  private var isFailure: Bool { outcome["kind"]?.stringValue == "failed" }

  private var found: String {
    if let found = outcome["found"]?.stringValue { return found }
    return switch outcome["kind"]?.stringValue {
    case "passed": "it passed"
    case "refused": "it was \(text.hasPrefix("refused") ? text : "refused: \(text)")"
    default: "it failed: \(text)"
    }
  }
}
