import FlowLanguage
import LuaRuntime

extension Effect {
  /// What messages call it where it is that of a state: whose, too, if each record has the machine.
  package func title(during state: ActiveState?) -> String {
    state.map { $0.keys.isEmpty ? title : "effect of \($0.title)" } ?? title
  }
}
