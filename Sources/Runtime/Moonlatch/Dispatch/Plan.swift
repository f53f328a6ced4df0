import LuaRuntime
import StateCharts

/// What steps 2 to 5 have found out: how the action would move the machines and what it would do
/// to the gatekeepers, if it passes.
struct Plan {
  /// How a further machine goes.
  enum Course {
    case prepared(Unmanaged<Way>)
    /// The ways that were chosen; where they lead is worked out when they are gone.
    case chosen(LoadedMachine, [Planner.WayNumber])
    /// The same for records, each with where its machine stands.
    case records(LoadedMachine, [RecordCourse])
  }

  /// What most actions have none of, in one place.
  struct Additions {
    /// How machines go, in their order, but for the first if that is prepared.
    var courses: [Course] = []
    var resets: [KeeperOption] = []
    var takes: [KeeperOption] = []
  }

  /// The way that a machine goes; most actions move one machine, if any.
  ///
  /// Unmanaged: the action that is dispatched keeps it.
  private var way: Unmanaged<Way>?
  private(set) var additions: Additions?

  /// Whether machines go anywhere.
  var moves: Bool { way != nil || additions.map { !$0.courses.isEmpty } ?? false }

  /// The only way that is gone, if it is prepared.
  var onlyWay: Unmanaged<Way>? { additions.map { $0.courses.isEmpty } ?? true ? way : nil }

  /// How all machines go, in their order.
  var courses: [Course] {
    (way.map { [.prepared($0)] } ?? []) + (additions?.courses ?? [])
  }

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
    if !moves { way = next } else { add(.prepared(next)) }
  }

  mutating func add(_ course: Course) { change { $0.courses.append(course) } }

  /// Has gatekeepers reset and take options.
  mutating func add(resets: [KeeperOption], takes: [KeeperOption]) {
    if resets.isEmpty && takes.isEmpty { return }
    change {
      if $0.resets.isEmpty { $0.resets = resets } else { $0.resets += resets }
      if $0.takes.isEmpty { $0.takes = takes } else { $0.takes += takes }
    }
  }

  /// By what plans are told from each other; nil where records move.
  var title: String? {
    if way == nil, additions == nil { return "" }
    var parts: [String] = []
    for course in courses {
      switch course {
      case .prepared(let way):
        let move = way._withUnsafeGuaranteedRef { $0.move }
        guard move.machine.records == nil else { return nil }
        parts.append("\(move.machine.index) \(move.ways)")
      case .chosen(let machine, let ways): parts.append("\(machine.index) \(ways)")
      case .records: return nil
      }
    }
    parts += resets.map { "-\($0.keeper).\($0.option)" }
    parts += takes.map { "+\($0.keeper).\($0.option)" }
    return parts.joined(separator: "\n")
  }

  private mutating func change(_ change: (inout Additions) -> Void) {
    var changed = additions ?? Additions()
    additions = nil  // the arrays belong to `changed` alone: to change them copies none
    change(&changed)
    additions = changed
  }
}

extension TransitionSteps {
  /// `on_exit`, the machines move, the reducer, what the ways do, `on_enter`: each over all machines in
  /// order.
  convenience init(_ moves: [MachineMove], reducer: LuaReference?) {
    self.init(
      TransitionSteps.leaving(moves, reducer: reducer) + TransitionSteps.entering(moves))
  }

  /// What stands before what the ways do and `on_enter`.
  static func leaving(_ moves: [MachineMove], reducer: LuaReference?) -> [Step] {
    var steps: [Step] = []
    for move in moves {
      for state in move.left {
        steps += move.machine.chart.chart.states[Int(state)].onExit.map {
          .reducer(move.machine.reference($0), of: move.place)
        }
      }
    }
    for move in moves { steps += fields(of: move) }
    if let reducer { steps.append(.reducer(reducer)) }
    return steps
  }

  /// The fields of regions that stand elsewhere.
  static func fields(of move: MachineMove) -> [Step] {
    move.changes.compactMap { change in
      move.machine.fields[Int(change.region)].map { field in
        .move(
          field, to: change.to < 0 ? nil : move.machine.values[Int(change.to)],
          region: Int(change.region), of: move.place)
      }
    }
  }

  static func entering(_ moves: [MachineMove]) -> [Step] {
    var steps: [Step] = []
    for move in moves {
      steps += move.ways.compactMap { move.machine.chart.way($0).content }
        .map { .reducer(move.machine.reference($0), of: move.place) }
    }
    for move in moves {
      for state in move.entered {
        steps += move.machine.chart.chart.states[Int(state)].onEnter.map {
          .reducer(move.machine.reference($0), of: move.place)
        }
      }
    }
    return steps
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
