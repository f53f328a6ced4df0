import FlowKernel
import LuaRuntime

/// An outcome that a scenario asked for and did not get, as a sentence.
struct AskedOutcome: CustomStringConvertible {
  /// `outcome`, `because` or `by`: what was asked.
  let kind: String
  let action: String
  /// What the action was to do, to say, or to be stopped by.
  let wanted: String
  /// What it came to, as `Outcome.described` tells it.
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
