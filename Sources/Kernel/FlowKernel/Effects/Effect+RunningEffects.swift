import FlowLanguage
import LuaRuntime

extension Effect {
  /// Returns the title of the effect in messages; that of a record's state has the record's keys.
  package func title(during state: ActiveState?) -> String {
    state.map { $0.keys.isEmpty ? title : "effect of \($0.title)" } ?? title
  }
}
