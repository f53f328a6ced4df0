import Bench
import Foundation
import Workloads

/// Every row, from one run.
struct Table {
  let rows: [Row]
  let peers: Peers
  /// The processor and how many cores it has.
  let processor: String
  /// The machine, and how busy it was.
  let machine: String

  init(_ settings: Settings) throws {
    peers = Peers(settings)
    let (dispatching, collecting) = try (Dispatching(), Collecting())
    rows =
      try Table.dispatches(dispatching, peers) + Table.toggles(dispatching, peers)
      + Table.machines(dispatching, peers) + Table.collections(collecting, peers)
      + Table.crossings(Crossing()) + Table.memory()
    processor = Table.describeProcessor()
    machine = processor + Table.describeLoad()
  }

  private static func dispatches(_ times: Dispatching, _ peers: Peers) throws -> [Row] {
    let (single, batch) = (times.best(.counter), times.best(.counterBatch))
    let (ten, tenBatch) = (times.best(.tenSlices), times.best(.tenSlicesBatch))
    let bare = times.best(.bare)
    let (one, slices) = try (peers.redux.figure("one_slice"), peers.redux.figure("ten_slices"))
    let name = "counter, one `host.dispatch` each"
    let batchName = "counter, `host.dispatch(batch:)` of 1,000"
    return [
      Row(
        name, single, against: "two bare calls from C", bare, .costs(atMost: 6)),
      Row(
        batchName, batch, against: "two bare calls from C", bare, .costs(atMost: 4.5)),
      Row(
        name, single, against: "Redux, one slice", one, .costs(atMost: 3.5), inReadme: true),
      Row(batchName, batch, against: "Redux, one slice", one, .costs(atMost: 3)),
      Row(
        "ten counters, one `host.dispatch` each", ten, against: "Redux, ten slices", slices,
        .asFast(atLeast: 1)),
      Row(
        "ten counters, `host.dispatch(batch:)` of 1,000", tenBatch,
        against: "Redux, ten slices", slices, .asFast(atLeast: 1)),
    ]
  }

  private static func toggles(_ times: Dispatching, _ peers: Peers) throws -> [Row] {
    try [
      Row(
        "toggle 1 of 1,000 records, by name", times.best(.toggleByName),
        against: "Redux, normalized", peers.redux.figure("toggle_by_name"), .asFast(atLeast: 30)),
      Row(
        "toggle 1 of 1,000 records, by number", times.best(.toggleByNumber),
        against: "Redux, normalized", peers.redux.figure("toggle_by_number"), .costs(atMost: 2)),
      Row(
        "toggle 1 of 1,000 records, in a list", times.best(.toggle1000),
        against: "Redux, `map`", peers.redux.figure("toggle"), .asFast(atLeast: 2), inReadme: true),
      Row(
        "toggle 1 of 100,000 records, in a list", times.best(.toggle100000),
        against: "1 of 10, ours",
        times.best(.toggle10), .costs(atMost: 1.3)),
      Row(
        "the same, mean of all rounds", times.mean(.toggle100000), against: "1 of 10, ours, mean",
        times.mean(.toggle10), .costs(atMost: nil)),
      Row(
        "an action that touches 1 of 100 views", times.best(.views100),
        against: "1 of 1 view, ours", times.best(.view1), .costs(atMost: 1.5)),
    ]
  }

  private static func machines(_ times: Dispatching, _ peers: Peers) throws -> [Row] {
    let (work, ours) = ("a machine event with guard and reducer", times.best(.machine))
    return try [
      Row(
        work, ours, against: "python-statemachine",
        peers.pythonStateMachine.figure("python_statemachine"), .asFast(atLeast: 80)),
      Row(
        work, ours, against: "transitions", peers.commits.figure("transitions"),
        .asFast(atLeast: 6)),
      Row(
        work, ours, against: "Qt SCXML", peers.scxml.figure("qt_scxml"), .asFast(atLeast: 25),
        inReadme: true),
      Row(
        work, ours, against: "Redux, a `switch` by hand", peers.redux.figure("machine"),
        .costs(atMost: 2.5)),
    ] + nested(times)
  }

  /// Machines that have more to choose from or to do, against a flat one.
  private static func nested(_ times: Dispatching) -> [Row] {
    let works: [(Work, MachineFlows)] = [
      (.deepMachine, .deep), (.oneOfThreeRegions, .oneOfThree), (.allThreeRegions, .allThree),
      (.round, .round), (.untouchedRound, .untouched),
    ]
    return works.map { work, flow in
      Row(
        flow.name, times.best(work), against: "a flat machine's event, ours", times.best(.machine),
        .costs(atMost: flow.limit?.times))
    } + ofRecords(times)
  }

  /// Machines for records: one against a flat machine, and many against few.
  private static func ofRecords(_ times: Dispatching) -> [Row] {
    let works: [(Work, MachineFlows, against: String, Work)] = [
      (.record, .tenRecords, "a flat machine's event, ours", .machine),
      (.records, .records, "1 of 10, ours", .record),
      (.pendingTimers, .pendingTimers, "no timers, ours", .record),
      (.recordTimers, .recordTimers, "1 of 10, ours", .recordTimer),
    ]
    return works.map { work, flow, against, other in
      Row(
        flow.name, times.best(work), against: against, times.best(other),
        .costs(atMost: flow.limit?.times))
    }
  }

  private static func collections(_ collecting: Collecting, _ peers: Peers) throws -> [Row] {
    let tick = "a tick over 500 entities, 1,000 writes"
    return try [
      Row(
        tick, collecting.best("tick"), against: "Redux, `map` and spread",
        peers.redux.figure("tick"), .asFast(atLeast: 1)),
      Row(
        tick, collecting.best("tick"), against: "Redux, `map` without spread",
        peers.redux.figure("tick_without_spread"), .costs(atMost: 25), inReadme: true),
      Row(
        "order with 200 lines, total over all", collecting.best("order"),
        against: "Redux, `map` and `reduce`", peers.redux.figure("order"), .costs(atMost: 7)),
    ] + collecting.rows
  }

  private static func crossings(_ crossing: Crossing) -> [Row] {
    [
      Row(
        "1,000 records of a Codable type to a flow and back", crossing.types,
        against: "`JSONEncoder`, `JSONDecoder`", crossing.codable, .asFast(atLeast: 1)),
      Row(
        "the same as values without a type", crossing.bridge, against: "`JSONSerialization`",
        crossing.serialization, .asFast(atLeast: 1)),
      Row(
        "a host of a loaded flow, made and dropped", crossing.host,
        against: "a bare Lua state with its libraries", crossing.bareVM, .costs(atMost: 3)),
      Row(
        "the same of a flow with 40 actions", crossing.largeHost,
        against: "a bare Lua state with its libraries", crossing.bareVM, .costs(atMost: 3)),
    ]
  }

  private static func memory() throws -> [Row] {
    try [
      Row(
        "a state of 100,000 records of three fields", Holding.records.measure(),
        against: "raw Lua tables", Holding.bareRecords.measure(), .costs(atMost: 2.2)),
      Row(
        "the same, garbage and allocator included", Holding.recordsWithGarbage.measure(),
        against: "raw Lua tables", Holding.bareRecordsWithGarbage.measure(), .costs(atMost: nil)),
      Row(
        "one of 10,000 idle hosts of one flow", Holding.hosts.measure(), against: "", nil,
        .bytes(atMost: 40_000)),
      Row(
        "the same, once each has dispatched 100 times", Holding.usedHosts.measure(), against: "",
        nil, .bytes(atMost: nil)),
      Row(
        "one of 1,000 idle hosts of a flow with 40 actions", Holding.largeHosts.measure(),
        against: "", nil, .bytes(atMost: 45_000)),
      Row(
        "a commit of the counter in a history of 100,000", Holding.history.measure(),
        against: "", nil, .bytes(atMost: 200)),
    ]
  }

  private static func describeProcessor() -> String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    let model = line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    return
      "\(ProcessInfo.processInfo.activeProcessorCount) cores of \(model ?? "an unknown processor")"
  }

  private static func describeLoad() -> String {
    var loads = [0.0]
    getloadavg(&loads, 1)
    return String(format: ", with a load of %.1f at the end of the run", loads[0])
  }
}
