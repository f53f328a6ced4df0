import LuaRuntime

/// A machine as a dispatch needs it: by number, without names to look up or references to count.
final class LoadedMachine: Sendable {
  struct State: Sendable {
    let name: String
    let reference: LuaReference
    let onEnter: LuaReference?
    let onExit: LuaReference?
    let hasTimers: Bool
  }

  let name: String
  let reference: LuaReference
  let states: [State]

  init(_ machine: Machine) {
    name = machine.name
    reference = machine.reference
    states = machine.states.map {
      State(
        name: $0.name, reference: $0.reference, onEnter: $0.onEnter?.reference,
        onExit: $0.onExit?.reference,
        hasTimers: !$0.timers.isEmpty)
    }
  }
}

/// Where an action moves one machine.
final class ActionWays: Sendable {
  let index: Int
  /// The ways out of all states, those of one state behind each other.
  private let ways: [Way]
  /// The same, for going there without counting references: `ways` keeps them, a loaded action keeps
  /// this, and a dispatch keeps the action until it is over.
  private let references: [Unmanaged<Way>]
  /// The guard of each way.
  let guards: [LuaReference?]
  /// The states with ways out, in order.
  private let states: [Int]
  /// Where the ways of each of these begin, and where the last ones end.
  private let starts: [Int]

  init(of action: Action, in machine: Machine, index: Int, among machines: [LoadedMachine]) {
    self.index = index
    var ways: [Way] = []
    var starts = [0]
    states = machine.takers[action.name] ?? []
    for from in states {
      for target in machine.states[from].transitions[action.name] ?? [] {
        let move = Plan.Move(
          machine: index, from: from, to: target.state,
          leaves: target.state != from || target.reenters)
        ways.append(Way(move, target.guardRule, action.reducer?.reference, machines))
      }
      starts.append(ways.count)
    }
    self.ways = ways
    references = ways.map { .passUnretained($0) }
    guards = ways.map { $0.guardRule?.reference }
    self.starts = starts
  }

  /// The numbers of the ways out of a state; none where the action is not possible.
  func numbers(from state: Int) -> Range<Int> {
    // By halving, since only the states that have such a way are kept: a table of all states for each
    // action would take states times actions.
    var (low, high) = (0, states.count)
    while low < high {
      let middle = (low + high) / 2
      if states[middle] < state { low = middle + 1 } else { high = middle }
    }
    guard low < states.count, states[low] == state else { return 0..<0 }
    return starts[low]..<starts[low + 1]
  }

  subscript(number: Int) -> Way { ways[number] }

  func reference(_ number: Int) -> Unmanaged<Way> { references[number] }
}

/// One way of a machine from one state to another, ready to be gone.
final class Way: Sendable {
  let move: Plan.Move
  let guardRule: FlowFunction?
  /// What happens to the state if no other machine moves.
  let steps: TransitionSteps

  fileprivate init(
    _ move: Plan.Move, _ guardRule: FlowFunction?, _ reducer: LuaReference?,
    _ machines: [LoadedMachine]
  ) {
    self.move = move
    self.guardRule = guardRule
    steps = TransitionSteps([move], reducer: reducer, machines: machines)
  }
}
