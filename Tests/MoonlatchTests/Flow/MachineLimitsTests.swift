import Testing

/// Endless machines exceed a named limit, and large ones are read.
@Suite struct MachineLimitsTests {
  @Test("a cyclic state and states nested too deeply exceed a limit that names them")
  func depth() throws {
    #expect(
      machineFaults(
        """
        local x = { initial = "x", go = true }
        x.x = x
        machine.m { initial = "x", x = x }
        """) == ["flow.lua:4: machine m: states are nested more than 94 deep"])
    #expect(
      machineFaults(
        """
        local x = { initial = "x", go = true }
        x.x, x.y = x, x
        machine.m { initial = "x", x = x }
        """) == ["flow.lua:4: machine m: states are nested more than 94 deep"])
    #expect(
      machineFaults(
        """
        local x = { go = true }
        for _ = 1, 999 do x = { initial = "x", x = x } end
        machine.m { initial = "x", x = x }
        """) == ["flow.lua:4: machine m: states are nested more than 94 deep"])
    let machine = try readMachine(
      """
      state {} action.go {}
      local x = { after = { { 1, { { to = { "x" }, when = function() return true end } } } } }
      for _ = 1, 93 do x = { initial = "x", x = x } end
      machine.m { initial = "x", x = x }
      """)
    #expect(machine.chart.states.count == 95)
    #expect(machine.functions.allSatisfy { $0.reference.number != 0 })
  }

  @Test("more states than allowed, and endless paths, exceed a limit that names them")
  func states() {
    #expect(
      machineFaults(
        """
        local leaf = { go = true }
        local states = { initial = "s1" }
        for n = 1, 32000 do states[n .. ""] = leaf end
        machine.m(states)
        """) == ["flow.lua:5: machine m has more than 31999 states"])
    #expect(
      machineFaults(
        """
        local name, x = ("x"):rep(1 << 20), { go = true }
        for _ = 1, 50 do x = { initial = name, [name] = x } end
        machine.m { initial = name, [name] = x }
        """) == ["flow.lua:4: machine m: the paths of its states take more than 4194304 bytes"])
  }

  @Test("a thousand regions can be declared")
  func regions() throws {
    let machine = try readMachine(
      """
      state {} action.go {}
      local top = { parallel = {} }
      for n = 1, 1000 do
        top.parallel[n] = "r" .. n
        top["r" .. n] = { initial = "a", a = { go = "b" }, b = { go = "a" } }
      end
      machine.m(top)
      """)
    #expect(machine.chart.regions.count == 1_001)
    #expect(machine.chart.states.count == 3_001)
  }
}
