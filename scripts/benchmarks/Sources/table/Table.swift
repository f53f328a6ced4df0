import Bench
import Foundation

/// Every row, from one run.
struct Table {
  let rows: [Row]
  /// The peers' names and versions.
  let versions: [String]
  /// Why peers are missing.
  let faults: [String]
  /// The machine, and how busy it was.
  let machine: String

  init() throws {
    let settings = try Settings(Array(CommandLine.arguments.dropFirst()))
    try self.init(settings)
  }

  init(_ settings: Settings) throws {
    let peers = Peers(settings)
    versions = peers.all.compactMap(\.version)
    faults = peers.all.compactMap(\.fault)
    let dispatching = try Dispatching()
    rows =
      try Table.dispatches(dispatching, peers) + Table.toggles(dispatching, peers)
      + Table.machines(dispatching, peers) + Collecting().rows
      + Table.crossings(Crossing()) + Table.memory()
    machine = Table.describeMachine()
  }

  private static func dispatches(_ times: Dispatching, _ peers: Peers) -> [Row] {
    let (single, batch) = (times.best(.counter), times.best(.counterBatch))
    let (ten, tenBatch) = (times.best(.tenSlices), times.best(.tenSlicesBatch))
    let bare = times.best(.bare)
    let (one, slices) = (peers.redux.figure("one_slice"), peers.redux.figure("ten_slices"))
    let name = "counter, one `host.dispatch` each"
    let batchName = "counter, `host.dispatch(batch:)` of 1,000"
    return [
      Row(name, single, against: "two bare calls from C", bare, .costs(atMost: 6)),
      Row(batchName, batch, against: "two bare calls from C", bare, .costs(atMost: 4.5)),
      Row(name, single, against: "Redux, one slice", one, .asFast(atLeast: nil)),
      Row(batchName, batch, against: "Redux, one slice", one, .asFast(atLeast: nil)),
      Row(
        "ten counters, one `host.dispatch` each", ten, against: "Redux, ten slices", slices,
        .asFast(atLeast: nil)),
      Row(
        "ten counters, `host.dispatch(batch:)` of 1,000", tenBatch,
        against: "Redux, ten slices", slices, .asFast(atLeast: 1)),
    ]
  }

  private static func toggles(_ times: Dispatching, _ peers: Peers) -> [Row] {
    [
      Row(
        "toggle 1 of 1,000 records, by name", times.best(.toggleByName),
        against: "Redux, normalized", peers.redux.figure("toggle_by_name"), .asFast(atLeast: 30)),
      Row(
        "toggle 1 of 1,000 records, in a list", times.best(.toggle1000),
        against: "Redux, `map`", peers.redux.figure("toggle"), .asFast(atLeast: nil)),
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

  private static func machines(_ times: Dispatching, _ peers: Peers) -> [Row] {
    let (work, ours) = ("a machine event with guard and reducer", times.best(.machine))
    return [
      Row(
        work, ours, against: "python-statemachine",
        peers.pythonStateMachine.figure("python_statemachine"), .asFast(atLeast: 80)),
      Row(
        work, ours, against: "transitions", peers.transitions.figure("transitions"),
        .asFast(atLeast: 6)),
      Row(work, ours, against: "Qt SCXML", peers.scxml.figure("qt_scxml"), .asFast(atLeast: 25)),
    ]
  }

  private static func crossings(_ crossing: Crossing) -> [Row] {
    let (work, bridge) = ("1,000 records to Swift and back", crossing.bridge)
    return [
      Row(
        work, bridge, against: "`JSONEncoder`, `JSONDecoder`", crossing.codable,
        .asFast(atLeast: 1)),
      Row(
        "the same as Codable payload and view", crossing.types,
        against: "`JSONEncoder`, `JSONDecoder`", crossing.codable, .asFast(atLeast: 1)),
      Row(
        work, bridge, against: "`JSONSerialization`", crossing.serialization,
        .asFast(atLeast: 1)),
      Row(
        "a host of a loaded flow, made and dropped", crossing.host,
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
        "a transition of the counter in a history of 100,000", Holding.history.measure(),
        against: "", nil, .bytes(atMost: 200)),
    ]
  }

  private static func describeMachine() -> String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    let model = line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    var loads = [0.0]
    getloadavg(&loads, 1)
    return
      "\(ProcessInfo.processInfo.activeProcessorCount) cores of \(model ?? "an unknown processor")"
      + String(format: ", with a load of %.1f at the end of the run", loads[0])
  }
}
