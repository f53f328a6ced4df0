/// The ways in which a state with an effect can be entered, on which the effect's payload depends.
package struct EffectEntrance: Sendable {
  /// The actions with a transition that enters the state, sorted.
  package let actions: [String]
  /// True if the state can be entered without an action: at the beginning, or by a timed transition.
  package let isWithoutAction: Bool
  /// True if an eventless transition enters the state, with the payload of whatever action came before.
  package let followsOthers: Bool
}
