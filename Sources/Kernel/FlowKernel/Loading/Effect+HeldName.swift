import FlowLanguage

extension Effect {
  /// The name by which the effect is paused: its action's, its own, or its state's, such as `player.loading`.
  package var heldName: String { state ?? function.name }
}
