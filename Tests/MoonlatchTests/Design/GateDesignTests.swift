import Testing

/// Rules of ContractOfHosts.md, section 5, as sentences with a test each.
@Suite("gate") struct GateDesignTests {
  @Test("`function gate.NAME(s, a)` is the rule of action NAME.")
  func own() throws {
    let trial = try Trial(
      "state { n = 1 } action.a { n = integer } action.b {}\n"
        + "function gate.a(s, a) return a.n == s.n, 'another' end")
    #expect(try trial.play("a", ["n": 2]) == "refused by gate a: another")
    #expect(try trial.play("a", ["n": 1]) == "a passed (#1)")
    #expect(try trial.play("b") == "b passed (#2)")
  }

  @Test(
    """
    `gate("powered", { "coin", "push" }, function(s, a, name) ... end)` is a named rule over \
    several actions, `gate("powered", "*", rule)` over all.
    """)
  func named() throws {
    let trial = try Trial(
      """
      state {} action.coin {} action.push {} action.other {}
      gate("powered", { "coin", "push" }, function(s, a, name) return false, name .. " needs power" end)
      gate("all", "*", function(s, a, name) return name ~= "other", "not " .. name end)
      """)
    #expect(try trial.play("coin") == "refused by gate powered: coin needs power")
    #expect(try trial.play("push") == "refused by gate powered: push needs power")
    #expect(try trial.play("other") == "refused by gate all: not other")
  }

  @Test("A rule returns true, or false (nil) and a reason; any value counts by its truth.")
  func truth() throws {
    func play(_ body: String) throws -> String {
      try Trial("state {} action.a {} function gate.a(s) \(body) end").play("a")
    }
    for value in ["true", "0", "''", "{}"] {
      #expect(try play("return \(value)") == "a passed (#1)")
    }
    for value in ["false", "nil"] {
      #expect(try play("return \(value), 'why'") == "refused by gate a: why")
    }
  }

  @Test("All rules of an action must agree.")
  func all() throws {
    let trial = try Trial(
      """
      state { first = false, second = false } action.a {} action.set { name = string }
      function reduce.set(s, a) s[a.name] = true end
      gate("one", { "a" }, function(s) return s.first, "not first" end)
      function gate.a(s) return s.second, "not second" end
      """)
    #expect(try trial.play("a") == "refused by gate one: not first")
    try trial.play("set", ["name": "first"])
    #expect(try trial.play("a") == "refused by gate a: not second")
    try trial.play("set", ["name": "second"])
    #expect(try trial.play("a") == "a passed (#3)")
  }

  @Test(
    """
    A rule that raises, or returns nothing at all, fails the dispatch (closed, never open): \
    `gate push returned nothing; end it with "return true"`.
    """)
  func closed() throws {
    let trial = try Trial(
      """
      state {} action.push {} action.coin {}
      function gate.push() end
      function gate.coin() error("broken") end
      """)
    let failure = try trial.host.failure(of: "push")
    #expect(failure?.message == "gate push returned nothing; end it with \"return true\"")
    #expect(try trial.play("coin") == "flow.lua:3: broken")
    #expect(try trial.host.revision == 0)
  }
}
