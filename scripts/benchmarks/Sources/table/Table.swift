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
    let groups: [[Row]] = try [
      Table.dispatches(dispatching, peers), Table.toggles(dispatching, peers),
      Table.views(dispatching), Table.machines(dispatching, peers),
      Table.collections(collecting, peers), Table.crossings(Crossing()),
      Table.stored(Storing(in: URL(filePath: settings.disk)), peers), Table.memory(),
    ]
    rows = groups.flatMap { $0 }
    processor = Table.describeProcessor()
    machine = processor + Table.describeLoad()
  }

  private static let swift = "a Swift struct and enum, undo by copies"
  private static let luajit = "LuaJIT, plain tables"

  private static func dispatches(_ times: Dispatching, _ peers: Peers) throws -> [Row] {
    let (single, batch) = (times.best(.counter), times.best(.counterBatch))
    let (ten, tenBatch) = (times.best(.tenSlices), times.best(.tenSlicesBatch))
    let bare = times.best(.bare)
    let (one, slices) = try (peers.redux.figure("one_slice"), peers.redux.figure("ten_slices"))
    let name = "counter, one `host.dispatch` each"
    let batchName = "counter, `host.dispatch(batch:)` of 1,000"
    return try [
      Row(
        name, single, against: "two bare calls from C", bare, .costs(atMost: 6)),
      Row(
        batchName, batch, against: "two bare calls from C", bare, .costs(atMost: 5)),
      Row(
        name, single, against: "Redux, one slice", one, .costs(atMost: 3.5), inReadme: true),
      Row(batchName, batch, against: "Redux, one slice", one, .costs(atMost: 3)),
      Row(
        name, single, against: "Redux Toolkit, one slice", peers.toolkit.figure("one_slice"),
        .asFast(atLeast: 1)),
      Row(
        name, single, against: "Elixir, an `Agent`", peers.erlang.figure("agent"),
        .asFast(atLeast: 1)),
      Row(
        name, single, against: Table.swift,
        times.best(.swiftCounter), .costs(atMost: nil)),
      Row(
        name, single, against: Table.luajit, peers.luajit.figure("counter"),
        .costs(atMost: nil)),
      Row(
        "ten counters, one `host.dispatch` each", ten, against: "Redux, ten slices", slices,
        .asFast(atLeast: 1)),
      Row(
        "ten counters, `host.dispatch(batch:)` of 1,000", tenBatch,
        against: "Redux, ten slices", slices, .asFast(atLeast: 1)),
    ]
  }

  private static func toggles(_ times: Dispatching, _ peers: Peers) throws -> [Row] {
    let (byName, inList) = (
      "toggle 1 of 1,000 records, by name", "toggle 1 of 1,000 records, in a list"
    )
    return try [
      Row(
        byName, times.best(.toggleByName), against: "Redux, normalized",
        peers.redux.figure("toggle_by_name"), .asFast(atLeast: 30)),
      Row(
        byName, times.best(.toggleByName), against: "Redux Toolkit, normalized",
        peers.toolkit.figure("toggle_by_name"), .asFast(atLeast: 30)),
      Row(
        "toggle 1 of 1,000 records, by number", times.best(.toggleByNumber),
        against: "Redux, normalized", peers.redux.figure("toggle_by_number"), .costs(atMost: 2)),
      Row(
        inList, times.best(.toggle1000), against: "Redux, `map`", peers.redux.figure("toggle"),
        .asFast(atLeast: 2), inReadme: true),
      Row(
        inList, times.best(.toggle1000), against: "Redux Toolkit, a draft",
        peers.toolkit.figure("toggle"), .asFast(atLeast: 10)),
      Row(
        inList, times.best(.toggle1000), against: Table.swift,
        times.best(.swiftToggle), .asFast(atLeast: nil)),
      Row(
        "toggle 1 of 100,000 records, in a list", times.best(.toggle100000),
        against: "1 of 10, ours",
        times.best(.toggle10), .costs(atMost: 1.3)),
      Row(
        "the same, mean of all rounds", times.mean(.toggle100000), against: "1 of 10, ours, mean",
        times.mean(.toggle10), .costs(atMost: nil)),
    ]
  }

  private static func views(_ times: Dispatching) -> [Row] {
    [
      Row(
        "an action, all of 30 observed views read what it writes", times.best(.views),
        against: "plain Lua that calls all 30", times.best(.bareViews), .costs(atMost: nil)),
      Row(
        "an action, 1 of 100 observed views reads what it writes", times.best(.views100),
        against: "1 of 1 view, ours", times.best(.view1), .costs(atMost: 1.5)),
    ]
  }

  private static func machines(_ times: Dispatching, _ peers: Peers) throws -> [Row] {
    let (work, ours) = ("a machine event with guard and reducer", times.best(.machine))
    let flat: [Row] = try [
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
      Row(
        work, ours, against: "XState", peers.xstate.figure("machine"), .asFast(atLeast: 3)),
      Row(
        work, ours, against: "Erlang, `gen_statem`", peers.erlang.figure("gen_statem"),
        .asFast(atLeast: 1)),
      Row(
        work, ours, against: Table.swift,
        times.best(.swiftMachine), .costs(atMost: nil)),
      Row(
        work, ours, against: Table.luajit, peers.luajit.figure("machine"),
        .costs(atMost: nil)),
    ]
    return flat + nested(times)
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
    let order = "order with 200 lines, total over all"
    let (tickTime, orderTime) = (collecting.best("tick"), collecting.best("order"))
    let rows: [Row] = try [
      Row(
        tick, tickTime, against: "Redux, `map` and spread",
        peers.redux.figure("tick"), .asFast(atLeast: 1)),
      Row(
        tick, tickTime, against: "Redux, `map` without spread",
        peers.redux.figure("tick_without_spread"), .costs(atMost: 25), inReadme: true),
      Row(
        order, orderTime, against: "Redux, `map` and `reduce`", peers.redux.figure("order"),
        .costs(atMost: 7)),
      Row(
        tick, tickTime, against: "Redux Toolkit, a draft", peers.toolkit.figure("tick"),
        .asFast(atLeast: 3)),
      Row(
        order, orderTime, against: "Redux Toolkit, a draft", peers.toolkit.figure("order"),
        .asFast(atLeast: 3)),
      Row(
        tick, tickTime, against: Table.luajit, peers.luajit.figure("tick"),
        .costs(atMost: nil)),
      Row(
        order, orderTime, against: Table.luajit, peers.luajit.figure("order"),
        .costs(atMost: nil)),
    ]
    return rows + collecting.rows
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

  private static func stored(_ storing: Storing, _ peers: Peers) throws -> [Row] {
    try [
      Row(
        "counter, each dispatch synced to the disk", storing.counter,
        against: "DBOS on SQLite, a workflow of one step", peers.dbos.figure("dbos"),
        .asFast(atLeast: 1))
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
        nil, .bytes(atMost: 62_000)),
      Row(
        "one of 1,000 that has dispatched 1,000 times", Holding.fullHosts.measure(), against: "",
        nil, .bytes(atMost: 210_000)),
      Row(
        "one of 1,000 idle hosts of a flow with 40 actions", Holding.largeHosts.measure(),
        against: "", nil, .bytes(atMost: 68_000)),
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
