import FlowKernel
import FlowLanguage
import LuaRuntime

extension ExploredMove {
  /// The argument that describes the move to the function of a step: the name and payload of its action, and its
  /// effect.
  ///
  /// For time that passes, it has a name only.
  var told: Value {
    switch self {
    case .action(let name, let payload): ["name": .string(name), "payload": payload]
    case .end(let effect, let name, let payload):
      ["name": .string(name), "payload": payload, "effect": .string(effect.title)]
    case .time: ["name": .string(Property.timePasses)]
    }
  }

  /// Returns the title of the move in reports.
  ///
  /// - Parameter delay: the duration to show for time that passes, in microseconds; nil for none.
  func title(_ delay: Int?) -> String {
    switch self {
    case .action(let name, let payload): return payload == [:] ? name : "\(name) \(payload)"
    case .time:
      guard let delay else { return "time passes, up to the next due time" }
      return "\(DurationText.text(microseconds: delay)) pass"
    case .end(let effect, let action, let payload):
      let follows = payload == [:] ? action : "\(action) \(payload)"
      return action.isEmpty ? "\(effect.title) ends" : "\(effect.title) ends with \(follows)"
    }
  }
}
