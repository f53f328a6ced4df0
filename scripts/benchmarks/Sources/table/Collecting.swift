import Baseline
import Bench
import Moonlatch

/// Flows of realistic size beside plain Lua, in interleaved rounds.
struct Collecting {
  private static let rounds = 120

  let rows: [Row]

  init() throws {
    rows = try (Collection.all.map(Collecting.row) + [Collecting.machine()])
  }

  private static func row(_ collection: Collection) throws -> Row {
    let payloads = try collection.payloads.map(payload)
    let times = try Stopwatch.times(
      of: [
        hosted(collection.flow, payloads.map { ("go", $0) }, collection),
        bare(collection.bare, collection),
      ], rounds: rounds)
    return Row(
      collection.name, .nanoseconds(times[0].best), against: "plain Lua, called from C",
      .nanoseconds(times[1].best), .costs(atMost: collection.limit))
  }

  /// A payload that is written as Lua.
  private static func payload(_ source: String) throws -> Value {
    try FlowHost(source: "state {}\nfunction view.it() return \(source) end").view("it")
  }

  private static func hosted(
    _ flow: String, _ actions: [(action: String, payload: Value)], _ collection: Collection
  ) throws -> Stopwatch.Candidate {
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
    if !collection.filling.isEmpty {
      let filled = try host.dispatch("fill")
      try WrongResult.unless(filled.isPassed, "\(filled)")
    }
    return .init(name: collection.name, count: collection.count) { count in
      let before = try host.revision
      for i in 0..<count {
        let (action, payload) = actions[i % actions.count]
        try host.dispatch(action, payload)
      }
      try WrongResult.unless(
        try host.revision == before + count, "\(collection.name): an action did not pass")
    }
  }

  private static func bare(_ text: String, _ collection: Collection) throws -> Stopwatch.Candidate {
    guard let baseline = baseline_open(text) else {
      throw WrongResult("\(collection.name): the plain functions could not be opened")
    }
    return .init(name: "bare", count: collection.count) { count in
      try WrongResult.unless(
        baseline_dispatch(baseline, Int32(count)), "\(collection.name): a plain call failed")
    }
  }

  // MARK: A machine

  /// Twenty states in a ring, each with two of forty events.
  private static func machine() throws -> Row {
    let states = 0..<20
    let flow = """
      state { moves = 0 }
      \((0..<40).map { "action.e\($0) {}" }.joined(separator: "\n"))
      machine.ring {
        initial = "s0",
      \(states.map { n in
        "  s\(n) = { e\(2 * n) = \"s\((n + 1) % 20)\", e\(2 * n + 1) = \"s\((n + 7) % 20)\" },"
      }.joined(separator: "\n"))
      }
      """
    let bareText = """
      local ways = {
      \(states.map { n in
        "  s\(n) = { e\(2 * n) = \"s\((n + 1) % 20)\", e\(2 * n + 1) = \"s\((n + 7) % 20)\" },"
      }.joined(separator: "\n"))
      }
      local s = { ring = "s0", at = 0 }
      local a = {}
      return s, a,
        function(s) return ways[s.ring]["e" .. 2 * s.at] ~= nil end,
        function(s) s.ring = ways[s.ring]["e" .. 2 * s.at] s.at = (s.at + 1) % 20 end
      """
    let shape = Collection(
      name: "a machine of 20 states and 40 events", limit: 5, state: "", reducer: "", count: 100)
    let events = states.map { (action: "e\(2 * $0)", payload: Value.record([:])) }
    let times = try Stopwatch.times(
      of: [hosted(flow, events, shape), bare(bareText, shape)], rounds: rounds)
    return Row(
      shape.name, .nanoseconds(times[0].best), against: "a table of ways in plain Lua",
      .nanoseconds(times[1].best), .costs(atMost: shape.limit))
  }
}
