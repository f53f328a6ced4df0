import LuaRuntime

/// A machine as a dispatch needs it: by number, without names to look up or references to count.
final class LoadedMachine: Sendable {
  struct State: Sendable {
    let reference: LuaReference
    let onEnter: LuaReference?
    let onExit: LuaReference?
    let hasTimers: Bool
  }

  let reference: LuaReference
  let states: [State]

  init(_ machine: Machine) {
    reference = machine.reference
    states = machine.states.map {
      State(
        reference: $0.reference, onEnter: $0.onEnter?.reference, onExit: $0.onExit?.reference,
        hasTimers: !$0.timers.isEmpty)
    }
  }
}

/// Where an action moves one machine.
final class MachineWays: Sendable {
  let machine: Int
  /// By the state that the machine is in; nil where the action is not possible.
  let targets: [[Machine.Target]?]

  init(of action: String, in machine: Machine, index: Int) {
    self.machine = index
    targets = machine.states.map { $0.transitions[action] }
  }
}
