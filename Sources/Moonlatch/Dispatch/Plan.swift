import LuaRuntime

/// What steps 2 to 5 have found out: how the action would move the machines and what it would do
/// to the gatekeepers, if it passes.
struct Plan {
  /// One machine's way.
  struct Move: Sendable {
    let machine: Int
    let from: Int
    let to: Int
    /// Whether the state is left and entered, or the machine stays in it.
    let leaves: Bool
  }

  /// The ways that machines go; most actions move one machine, if any.
  private var way: MachineWay?
  private var more: [MachineWay] = []
  var resets: [KeeperOption] = []
  var takes: [KeeperOption] = []

  /// Whether machines go anywhere.
  var moves: Bool { way != nil }

  /// Has one more machine go its way.
  mutating func add(_ next: MachineWay) {
    if way == nil { way = next } else { more.append(next) }
  }

  /// Does something for each move, in the order of machines.
  func forEachMove(_ body: (Move) throws(ScriptError) -> Void) throws(ScriptError) {
    if let way { try body(way.move) }
    for way in more { try body(way.move) }
  }

  /// What happens to the state where machines move.
  func steps(reducer: LuaReference?, machines: [LoadedMachine]) -> TransitionSteps? {
    guard let way else { return nil }
    if more.isEmpty { return way.steps }
    return TransitionSteps(
      [way.move] + more.map(\.move), reducer: reducer, machines: machines)
  }

  /// Whether gatekeepers take or reset anything.
  var touchesKeepers: Bool { !resets.isEmpty || !takes.isEmpty }
}

extension TransitionSteps {
  /// `on_exit`, the machines move, the reducer, `on_enter`: each over all machines in order.
  init(_ moves: [Plan.Move], reducer: LuaReference?, machines: [LoadedMachine]) {
    self.init()
    for move in moves where move.leaves {
      if let leave = machines[move.machine].states[move.from].onExit { call(leave) }
    }
    for move in moves where move.to != move.from {
      let machine = machines[move.machine]
      self.move(machine.reference, to: machine.states[move.to].reference)
    }
    if let reducer { call(reducer) }
    for move in moves where move.leaves {
      if let enter = machines[move.machine].states[move.to].onEnter { call(enter) }
    }
  }
}

/// A step that does not let the action pass.
indirect enum Stop: Error {
  case refused(Refusal)
  case failed(Failure)
}
