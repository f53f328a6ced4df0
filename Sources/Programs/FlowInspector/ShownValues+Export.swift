import FlowLanguage
import LuaRuntime

extension ShownValues {
  /// Returns the state as plain values, with dots in place of secrets.
  func plain(_ state: Value) -> Value { flow.secrets?.hiding(state, at: StatePath([])) ?? state }

  func plainChanges(_ changes: [Patch.Change]) -> Value {
    .list(
      changes.map { change in
        let shown = flow.secrets?.hiding(change) ?? change
        return [
          "operation": .string("\(shown.operation)"), "path": .string("\(shown.path)"),
          "old": shown.old, "new": shown.new,
        ]
      })
  }
}
