import FlowLanguage
import LuaRuntime

extension ShownValues {
  /// The state as plain values.
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
