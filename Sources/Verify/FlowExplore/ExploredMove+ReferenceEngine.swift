import FlowKernel
import FlowLanguage
import LuaRuntime

extension ExploredMove {
  /// What a step's function is told of it: its action's name and payload, and its effect.
  ///
  /// Of time that passes there is a name alone.
  var told: Value {
    switch self {
    case .action(let name, let payload): ["name": .string(name), "payload": payload]
    case .end(let effect, let name, let payload):
      ["name": .string(name), "payload": payload, "effect": .string(effect.title)]
    case .time: ["name": .string(Property.timePasses)]
    }
  }

  /// What reports call it.
  ///
  /// - Parameter delay: how long time passes where that is to be said, in microseconds.
  func title(_ delay: Int?) -> String {
    switch self {
    case .action(let name, let payload): return payload == [:] ? name : "\(name) \(payload)"
    case .time:
      guard let delay else { return "time passes, up to the next due time" }
      return "\(Counterexample.seconds(delay)) s pass"
    case .end(let effect, let action, let payload):
      let follows = payload == [:] ? action : "\(action) \(payload)"
      return action.isEmpty ? "\(effect.title) ends" : "\(effect.title) ends with \(follows)"
    }
  }
}
