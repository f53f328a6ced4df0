import FlowLanguage
import LuaRuntime

/// An action as the engine hands it from step to step: one reference instead of a struct of many,
/// since a dispatch would otherwise spend most of its time on counting references.
package final class LoadedAction: Sendable {
  private let action: Action

  /// Whether neither scope, machines nor gatekeepers have a say in it.
  package let isPlain: Bool
  /// Whether its payload has no fields at all.
  package let takesNothing: Bool
  /// Whether effects and timers alone dispatch it.
  package var isInternal: Bool { action.isInternal }
  /// Whether there is nothing to look at before it: no payload, and whoever likes dispatches it.
  package let isFree: Bool

  /// What runs at every dispatch, without anything that is counted: a rule and, for one over
  /// several actions, the name that it is told; the reducer.
  package let calls: [(rule: LuaReference, name: LuaReference?)]
  let reducerReference: LuaReference?
  /// True if a state postpones it.
  let canBePostponed: Bool
  /// True for the place that an action takes while it is postponed: nothing runs but the commit.
  package let isPostponed: Bool
  /// Where it moves the machines that name it, in the order of declaration.
  package let transitions: [TransitionTable]
  /// What it does to the gatekeepers that name it, in the order of declaration.
  let gatekeeperEntries: [GatekeeperPolicy.Entry]

  package init(_ action: Action, in flow: Flow, _ machines: [LoadedMachine]) {
    self.action = action
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

  /// An action that has been prepared and is to wait.
  package init(postponing action: LoadedAction) {
    self.action = Action(name: action.name, place: action.place, payload: action.payload)
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
