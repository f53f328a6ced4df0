extension Workload {
  /// A machine of twenty states in a ring, each with two of forty events.
  static let ring = {
    let states = 0..<20
    let transitions = states.map { n in
      "  s\(n) = { e\(2 * n) = \"s\((n + 1) % 20)\", e\(2 * n + 1) = \"s\((n + 7) % 20)\" },"
    }.joined(separator: "\n")
    return Workload(
      key: "ring", name: "a machine of 20 states and 40 events", limit: 5,
      flow: """
        state { moves = 0 }
        \((0..<40).map { "action.e\($0) {}" }.joined(separator: "\n"))
        machine.ring {
          initial = "s0",
        \(transitions)
        }
        """,
      bare: """
        local transitions = {
        \(transitions)
        }
        local events = { \(states.map { "\"e\(2 * $0)\"" }.joined(separator: ", ")) }
        local s = { ring = "s0" }
        local at = 0
        return s, {},
          function(s)
            at = at % 20 + 1
            return transitions[s.ring][events[at]] ~= nil
          end,
          function(s) s.ring = transitions[s.ring][events[at]] end
        """,
      actions: states.map { (name: "e\(2 * $0)", payload: "{}") }, filling: nil, count: 100)
  }()
}
