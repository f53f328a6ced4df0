import Testing

/// Rules of ContractOfHosts.md, section 5, as sentences with a test each.
@Suite("invariant") struct InvariantDesignTests {
  @Test(
    """
    `function invariant.NAME(s)` is checked at the start and after every transition that changed \
    something it read: a transition that breaks one fails and is rolled back, and the report shows \
    the patch.
    """)
  func checked() throws {
    let trial = try Trial(
      """
      state { coins = 1, other = 0 } action.take { n = integer } action.other {}
      function invariant.never_in_debt(s) print("checked") return s.coins >= 0 end
      function reduce.take(s, a) s.coins = s.coins - a.n end
      function reduce.other(s) s.other = s.other + 1 end
      """)
    #expect(trial.printed.take() == ["checked"])
    try trial.play("other")
    #expect(trial.printed.take() == [])
    try trial.play("take", ["n": 1])
    #expect(trial.printed.take() == ["checked"])
    guard case .failed(let failure) = try trial.host.dispatch("take", ["n": 5]) else {
      Issue.record("take passed")
      return
    }
    #expect(failure.kind == .invariant)
    #expect(failure.summary == "flow.lua:2: invariant.never_in_debt does not hold")
    #expect(failure.writes?.changes.map(\.description) == ["coins: 0 -> -5"])
    #expect(try trial.state("coins") == 0)
    #expect(
      faults(of: "state { n = 1 } action.a {}\nfunction invariant.none(s) return s.n == 0 end") == [
        "flow.lua:2: invariant.none does not hold"
      ])
  }

  @Test("An invariant may return a reason.")
  func reason() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.add {}
      function invariant.small(s) return s.n < 1, s.n .. " is too large" end
      function reduce.add(s) s.n = s.n + 1 end
      """)
    #expect(try trial.play("add") == "flow.lua:2: invariant.small does not hold: 1 is too large")
  }
}
