import Baseline
import Bench
import Foundation
import Moonlatch
import Workloads

/// Values that cross into the VM and out again, against JSON; hosts that begin, against bare VMs.
struct Crossing {
  /// A thousand records as Codable types to a flow and back: a payload, and what a view returns.
  let types: Figure
  /// The same value as Codable types through `JSONEncoder` and `JSONDecoder`.
  let codable: Figure
  /// The same records as values, without types: out of the state, and back as a payload.
  let bridge: Figure
  /// The same value through `JSONSerialization`.
  let serialization: Figure
  /// A host of a loaded flow, made and dropped.
  let host: Figure
  /// The same of a flow with 40 actions.
  let largeHost: Figure
  /// `luaL_newstate`, `luaL_openlibs`, `lua_close`.
  let bareVM: Figure

  init() throws {
    let values = try Stopwatch.times(
      of: [
        Crossing.throughHost(), Crossing.throughCodable(), Crossing.throughSerialization(),
        Crossing.throughTypes(),
      ], rounds: 200)
    (bridge, codable, serialization, types) = (
      .nanoseconds(values[0].best), .nanoseconds(values[1].best), .nanoseconds(values[2].best),
      .nanoseconds(values[3].best)
    )
    let hosts = try Stopwatch.times(
      of: [
        Crossing.hosts(of: Flows.counter), Crossing.hosts(of: LargeFlow.source),
        Crossing.bareVMs(),
      ], rounds: 200)
    (host, largeHost, bareVM) = (
      .nanoseconds(hosts[0].best), .nanoseconds(hosts[1].best), .nanoseconds(hosts[2].best)
    )
  }

  private static let size = 1_000

  private struct Record: Codable, Equatable {
    var title: String
    var done: Bool
    var rank: Int
  }

  private static let records = (1...size).map {
    Record(title: "item \($0)", done: false, rank: $0)
  }

  /// The records as they are in the round of that number: what is equal to the one before might not
  /// be made again.
  private static func records(in round: Int) -> [Record] {
    var records = records
    records[0].rank = round
    return records
  }

  /// The state comes to Swift, and its records go back as a payload, which is checked.
  private static func throughHost() throws -> Stopwatch.Candidate {
    // The history would keep every payload.
    let host = try FlowHost(
      source: Flows.records, options: HostOptions(limits: Limits(history: 1), clock: .virtual))
    try Dispatching.fill(host, size)
    let expected = Value.list(
      records.map {
        ["title": .string($0.title), "done": .boolean($0.done), "rank": .integer($0.rank)]
      })
    try WrongResult.unless(
      try host.state()["items"] == expected, "the records are others in Swift than in the flow")
    var round = 0
    return .init(name: "bridge", count: 1) { _ in
      guard case .list(var items)? = try host.state()["items"] else {
        throw WrongResult("the records are no list in Swift")
      }
      round += 1
      items[0] = ["title": "first", "done": true, "rank": .integer(round)]
      let outcome = try host.dispatch("put", ["records": .list(items)])
      try WrongResult.unless(outcome.isPassed, "the records did not come back: \(outcome)")
    }
  }

  private struct Put: Encodable {
    let records: [Record]
  }

  /// The records go to the flow as a Codable payload, and a view that is worked out anew gives them back.
  private static func throughTypes() throws -> Stopwatch.Candidate {
    let host = try FlowHost(
      source: Flows.records + """

        function view.all(s)
          local _ = s.taken
          return s.items
        end
        """, options: HostOptions(limits: Limits(history: 1), clock: .virtual))
    try Dispatching.fill(host, size)
    var round = 0
    return .init(name: "types", count: 1) { _ in
      round += 1
      let outcome = try host.dispatch("put", Put(records: records(in: round)))
      let back = try host.view("all", as: [Record].self)
      try WrongResult.unless(outcome.isPassed && back == records, "the records did not come back")
    }
  }

  private static func throughCodable() throws -> Stopwatch.Candidate {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    var round = 0
    return .init(name: "codable", count: 1) { _ in
      round += 1
      let sent = records(in: round)
      let decoded = try decoder.decode([Record].self, from: encoder.encode(sent))
      try WrongResult.unless(decoded == sent, "the records did not come back")
    }
  }

  private static func throughSerialization() throws -> Stopwatch.Candidate {
    let plain: [[String: Any]] = records.map {
      ["title": $0.title, "done": $0.done, "rank": $0.rank]
    }
    return .init(name: "serialization", count: 1) { _ in
      let decoded = try JSONSerialization.jsonObject(
        with: JSONSerialization.data(withJSONObject: plain))
      try WrongResult.unless(
        (decoded as? [Any])?.count == size, "the records did not come back")
    }
  }

  private static func hosts(of source: String) throws -> Stopwatch.Candidate {
    let flow = try LoadedFlow(source: source)
    return .init(name: "host", count: 10) { count in
      for _ in 0..<count { _ = try FlowHost(flow, options: HostOptions(clock: .virtual)) }
    }
  }

  private static func bareVMs() -> Stopwatch.Candidate {
    .init(name: "bare VM", count: 10) { count in
      try WrongResult.unless(baseline_open_and_close(Int32(count)), "a bare VM did not open")
    }
  }
}
