import Baseline
import Bench
import Moonlatch
import Workloads

/// The measurements that this process takes in turn, so that a busy machine affects all of them.
enum Work: CaseIterable {
  case bare, counter, counterBatch, tenSlices, tenSlicesBatch
  case toggle10, toggle1000, toggle100000, toggleByName, toggleByNumber, view1, views100, machine
  case views, bareViews, swiftCounter, swiftMachine, swiftToggle
  case deepMachine, oneOfThreeRegions, allThreeRegions, round, untouchedRound
  case record, records, pendingTimers, recordTimer, recordTimers
}

/// The dispatches: the least and the mean of the rounds, in nanoseconds for one dispatch.
struct Dispatching {
  static let perRound = 1_000
  static let rounds = 200

  private let times: [Work: Stopwatch.Times]

  init() throws {
    let works = Work.allCases
    let measured = try Stopwatch.times(
      of: works.map { try Dispatching.candidate($0) }, rounds: Dispatching.rounds)
    times = Dictionary(uniqueKeysWithValues: zip(works, measured))
  }

  func best(_ work: Work) -> Figure { .nanoseconds(times[work]?.best ?? .nan) }
  func mean(_ work: Work) -> Figure { .nanoseconds(times[work]?.mean ?? .nan) }

  private static func candidate(_ work: Work) throws -> Stopwatch.Candidate {
    switch work {
    case .bare: try bare(Flows.bareCounter)
    case .counter: try single(Flows.counter, [("increment", [:])])
    case .counterBatch: try batch(Flows.counter, [("increment", [:])])
    case .tenSlices: try single(Flows.tenSlices, slices)
    case .tenSlicesBatch: try batch(Flows.tenSlices, slices)
    case .toggle10: try toggle(in: 10)
    case .toggle1000: try toggle(in: 1_000)
    case .toggle100000: try toggle(in: 100_000)
    case .toggleByName:
      try toggle(Flows.recordsByKey("string", "\"item-\" .. i")) { .string("item-\($0)") }
    case .toggleByNumber: try toggle(Flows.recordsByKey("integer", "i")) { .integer($0) }
    case .view1: try single(Flows.views(1), [("increment", [:])]) { try watch(1, of: $0) }
    case .views100: try single(Flows.views(100), [("increment", [:])]) { try watch(100, of: $0) }
    case .views: try single(Flows.readViews, [("increment", [:])]) { try watch(30, of: $0) }
    case .bareViews: try bare(Flows.bareReadViews)
    case .swiftCounter: try SwiftFlows.counter()
    case .swiftMachine: try SwiftFlows.machine()
    case .swiftToggle: try SwiftFlows.toggle()
    case .machine: try MachineFlows.flat.candidate(perRound: perRound)
    case .deepMachine: try MachineFlows.deep.candidate(perRound: perRound)
    case .oneOfThreeRegions: try MachineFlows.oneOfThree.candidate(perRound: perRound)
    case .allThreeRegions: try MachineFlows.allThree.candidate(perRound: perRound)
    case .round: try MachineFlows.round.candidate(perRound: perRound)
    case .untouchedRound: try MachineFlows.untouched.candidate(perRound: perRound)
    case .record: try MachineFlows.tenRecords.candidate(perRound: perRound)
    case .records: try MachineFlows.records.candidate(perRound: perRound)
    case .pendingTimers: try MachineFlows.pendingTimers.candidate(perRound: perRound)
    case .recordTimer: try MachineFlows.tenTimers.candidate(perRound: perRound)
    case .recordTimers: try MachineFlows.recordTimers.candidate(perRound: perRound)
    }
  }

  private static let slices: [(action: String, payload: Value)] =
    (1...10).map { ("increment\($0)", [:]) }

  /// The rule and the reducer as two protected calls from C, on a raw table, without hook or limit.
  private static func bare(_ chunk: String) throws -> Stopwatch.Candidate {
    guard let baseline = baseline_open(chunk) else {
      throw WrongResult("the bare counter could not be opened")
    }
    return .init(name: "bare", count: perRound) { count in
      let before = baseline_field(baseline, "count")
      try WrongResult.unless(
        baseline_dispatch(baseline, Int32(count))
          && baseline_field(baseline, "count") == before + Int64(count),
        "the bare counter did not count")
    }
  }

  /// A host that dispatches actions in turn, each by itself; all of them pass.
  private static func single(
    _ flow: String, _ actions: [(action: String, payload: Value)],
    prepare: (FlowHost) throws -> Void = { _ in }
  ) throws -> Stopwatch.Candidate {
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
    try prepare(host)
    return .init(name: "single", count: perRound) { count in
      let before = try host.revision
      for i in 0..<count {
        let (action, payload) = actions[i % actions.count]
        try host.dispatch(action, payload)
      }
      try WrongResult.unless(try host.revision == before + count, "an action did not pass")
    }
  }

  /// The same in batches of a round's actions.
  private static func batch(
    _ flow: String, _ actions: [(action: String, payload: Value)]
  ) throws -> Stopwatch.Candidate {
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
    let batch = (0..<perRound).map { actions[$0 % actions.count] }
    return .init(name: "batch", count: perRound) { count in
      let outcomes = try host.dispatch(batch: batch)
      try WrongResult.unless(
        outcomes.count == count && outcomes.allSatisfy(\.isPassed), "an action did not pass")
    }
  }

  /// Toggles ten records, evenly spread over the list, so that every size works on as many.
  private static func toggle(in size: Int) throws -> Stopwatch.Candidate {
    try single(
      Flows.records, (0..<10).map { ("toggle", ["index": .integer(1 + $0 * size / 10)]) }
    ) { try fill($0, size) }
  }

  /// The same ten of 1,000 records that have keys.
  private static func toggle(
    _ flow: String, key: (Int) -> Value
  ) throws -> Stopwatch.Candidate {
    try single(flow, (0..<10).map { ("toggle", ["key": key(1 + $0 * 100)]) }) {
      try fill($0, 1_000)
    }
  }

  /// Makes the list so long, by actions of at most 1,000 records.
  static func fill(_ host: FlowHost, _ size: Int) throws {
    for begin in stride(from: 0, to: size, by: 1_000) {
      let outcome = try host.dispatch("fill", ["count": .integer(min(1_000, size - begin))])
      try WrongResult.unless(outcome.isPassed, "\(outcome)")
    }
  }

  /// Subscribes to every view, as a screen that shows them would; for as long as the host lives.
  private static func watch(_ count: Int, of host: FlowHost) throws {
    for number in 1...count { try host.subscribe("view\(number)", owner: host) { _, _ in } }
  }
}
