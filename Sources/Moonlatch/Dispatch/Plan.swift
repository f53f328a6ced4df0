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

  /// What most actions have none of, in one place.
  struct Additions {
    /// The ways of further machines.
    var ways: [Unmanaged<Way>] = []
    var resets: [KeeperOption] = []
    var takes: [KeeperOption] = []
  }

  /// The way that a machine goes; most actions move one machine, if any.
  ///
  /// Unmanaged: the action that is dispatched keeps it.
  private var way: Unmanaged<Way>?
  private var additions: Additions?

  /// Whether machines go anywhere.
  var moves: Bool { way != nil }

  /// Whether gatekeepers take or reset anything.
  var touchesKeepers: Bool { additions.map { !$0.resets.isEmpty || !$0.takes.isEmpty } ?? false }

  var resets: [KeeperOption] { additions?.resets ?? [] }
  var takes: [KeeperOption] { additions?.takes ?? [] }

  func touches(keeper: String) -> Bool {
    guard let additions else { return false }
    return additions.resets.contains { $0.keeper == keeper }
      || additions.takes.contains { $0.keeper == keeper }
  }

  /// Adds the way of one more machine.
  mutating func add(_ next: Unmanaged<Way>) {
    if way == nil { way = next } else { additions = with { $0.ways.append(next) } }
  }

  /// Has gatekeepers reset and take options.
  mutating func add(resets: [KeeperOption], takes: [KeeperOption]) {
    if resets.isEmpty && takes.isEmpty { return }
    additions = with {
      if $0.resets.isEmpty { $0.resets = resets } else { $0.resets += resets }
      if $0.takes.isEmpty { $0.takes = takes } else { $0.takes += takes }
    }
  }

  private func with(_ change: (inout Additions) -> Void) -> Additions {
    var changed = additions ?? Additions()
    change(&changed)
    return changed
  }

  /// Does something for each move, in the order of machines.
  @inline(__always)
  func forEachMove<Fault: Error>(_ body: (Move) throws(Fault) -> Void) throws(Fault) {
    guard let way else { return }
    try body(way._withUnsafeGuaranteedRef { $0.move })
    if additions != nil { try forEachOtherMove(body) }
  }

  private func forEachOtherMove<Fault: Error>(_ body: (Move) throws(Fault) -> Void) throws(Fault) {
    for way in additions?.ways ?? [] { try body(way._withUnsafeGuaranteedRef { $0.move }) }
  }

  /// The moves, in the order of machines.
  var allMoves: [Move] {
    ([way] + (additions?.ways ?? [])).compactMap { $0?.takeUnretainedValue().move }
  }

  /// Takes the steps of the machines that move and of the reducer.
  ///
  /// False: no machine moves.
  func take(
    in vm: LuaVM, reducer: LuaReference?, machines: [LoadedMachine], budget: Int
  ) throws(ScriptError) -> Bool {
    guard let way else { return false }
    if let additions, !additions.ways.isEmpty {
      let steps = TransitionSteps(allMoves, reducer: reducer, machines: machines)
      try vm.take(steps, budget: budget)
    } else {
      try vm.take(way._withUnsafeGuaranteedRef { $0.steps }, budget: budget)
    }
    return true
  }
}

extension TransitionSteps {
  /// `on_exit`, the machines move, the reducer, `on_enter`: each over all machines in order.
  convenience init(_ moves: [Plan.Move], reducer: LuaReference?, machines: [LoadedMachine]) {
    self.init(
      TransitionSteps.leaving(moves, reducer: reducer, machines: machines)
        + TransitionSteps.entering(moves, machines: machines))
  }

  /// What stands before `on_enter`.
  static func leaving(
    _ moves: [Plan.Move], reducer: LuaReference?, machines: [LoadedMachine]
  ) -> [Step] {
    var steps: [Step] = []
    for move in moves where move.leaves {
      if let leave = machines[move.machine].states[move.from].onExit {
        steps.append(.reducer(leave))
      }
    }
    for move in moves where move.to != move.from {
      let machine = machines[move.machine]
      steps.append(.move(machine.reference, to: machine.states[move.to].reference))
    }
    if let reducer { steps.append(.reducer(reducer)) }
    return steps
  }

  static func entering(_ moves: [Plan.Move], machines: [LoadedMachine]) -> [Step] {
    moves.filter(\.leaves).compactMap { move in
      machines[move.machine].states[move.to].onEnter.map { .reducer($0) }
    }
  }
}

/// A step that does not let the action pass.
indirect enum Rejection: Error {
  case refused(Refusal)
  case failed(DispatchFailure)

  /// As the failure of what is no action, where nobody is asked who could refuse.
  var failure: DispatchFailure {
    switch self {
    case .failed(let failure): failure
    case .refused(let refusal):
      DispatchFailure(kind: .script, action: refusal.action, message: refusal.description)
    }
  }
}

extension Outcome {
  /// What a dispatch came to that was rejected.
  init(_ rejection: Rejection) {
    switch rejection {
    case .refused(let refusal): self = .refused(refusal)
    case .failed(let failure): self = .failed(failure)
    }
  }
}
