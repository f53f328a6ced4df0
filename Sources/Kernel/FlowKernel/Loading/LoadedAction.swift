import FlowLanguage
import LuaRuntime

/// An action in the form in which the engine passes it from step to step.
///
/// It is one reference instead of a struct of many, because a dispatch would otherwise spend most of its time on
/// reference counting.
package final class LoadedAction: Sendable {
  private let action: Action

  /// True if no scope, machine or gatekeeper decides on the action.
  package let isPlain: Bool
  /// True if the action's payload has no fields.
  package let takesNothing: Bool
  /// True if only effects and timers dispatch the action.
  package var isInternal: Bool { action.isInternal }
  /// True if step 1 has nothing to check: the action has no payload and is not internal.
  package let isFree: Bool
  /// The fields that its functions may read of the payload.
  package let payloadShape: PayloadShape

  /// The gate rules, each with the action's name if the rule is one of several actions.
  ///
  /// They and the reducer are stored without anything that is reference-counted, because they run at every dispatch.
  package let calls: [(rule: LuaReference, name: LuaReference?)]
  let reducerReference: LuaReference?
  /// True if a state of some machine postpones the action.
  let canBePostponed: Bool
  /// True for the placeholder that is dispatched when an action is postponed: it only makes the commit.
  package let isPostponed: Bool
  /// The transitions that the action enables in the machines that name it, in the order of declaration.
  package let transitions: [TransitionTable]
  /// The action's entries in the gatekeepers that name it, in the order of declaration.
  let gatekeeperEntries: [GatekeeperPolicy.Entry]

  package init(
    _ action: Action, in flow: Flow, _ machines: [LoadedMachine], payloadShape: PayloadShape
  ) {
    self.action = action
    self.payloadShape = payloadShape
    transitions = action.machines.compactMap { TransitionTable(of: action, in: machines[$0]) }
    gatekeeperEntries = action.gatekeepers.compactMap { flow.gatekeepers[$0].entries[action.name] }
    calls = action.rules.map { ($0.function.reference, $0.isShared ? action.nameReference : nil) }
    reducerReference = action.reducer?.reference
    takesNothing = action.takesNothing
    canBePostponed = transitions.contains { $0.machine.postponed.contains(action.name) }
    isPostponed = false
    isFree = action.takesNothing && !action.isInternal
    isPlain = action.scope == nil && action.machines.isEmpty && action.gatekeepers.isEmpty
  }

  /// Creates the placeholder for an action that has been prepared and is postponed.
  package init(postponing action: LoadedAction) {
    self.action = Action(name: action.name, place: action.place, payload: action.payload)
    payloadShape = action.payloadShape
    (transitions, gatekeeperEntries, calls, reducerReference) = ([], [], [], nil)
    (takesNothing, isFree, isPlain) = (action.takesNothing, action.isFree, true)
    (canBePostponed, isPostponed) = (false, true)
  }

  package var name: String { action.name }
  package var place: SourcePlace { action.place }
  package var payload: PayloadType { action.payload }
  package var rules: [GateRule] { action.rules }
  package var reducer: FlowFunction? { action.reducer }
  package var gatekeepers: [Int] { action.gatekeepers }
  package var scope: Int? { action.scope }
  package var effects: [Int] { action.effects }
}
