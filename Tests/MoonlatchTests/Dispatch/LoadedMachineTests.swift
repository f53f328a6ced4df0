import Testing

@Suite("Machines of many states") struct LoadedMachineTests {
  /// A state with thousands of states inside, and thousands of actions that it lists for all of them.
  private static let wide = """
    state {}
    local p = { initial = "s1" }
    for i = 1, COUNT do
      action["a" .. i] {}
      p["a" .. i] = { to = "q" .. i % 2 }
      p["s" .. i] = { next = "s" .. i % COUNT + 1 }
    end
    action.next {} action.back {}
    machine.m { initial = "p", p = p, q0 = { back = "p" }, q1 = { back = "p" } }
    """

  @Test(
    "a transition of a state is possible in each of its substates, few or thousands",
    arguments: [3, 1_500])
  func wide(count: Int) throws {
    let trial = try Trial(Self.wide.replacing("COUNT", with: "\(count)"))
    for action in 1...count {
      if action > 1 { try trial.play("next") }
      try trial.play("a\(action)")
      #expect(try trial.state("m") == .string("q\(action % 2)"))
      #expect(try trial.play("a1").contains("a1 is not possible in q"))
      try trial.play("back")
    }
  }

  @Test("each of thousands of timed transitions of one state fires at its time")
  func timed() throws {
    let trial = try Trial(
      """
      state { sum = 0 }
      action.go {}
      local timed = {}
      for i = 1, 8000 do timed[i] = { i, { reduce = function(s) s.sum = s.sum + i end } } end
      machine.m { initial = "a", a = { go = "b" }, b = { after = timed } }
      """)
    try trial.play("go")
    try trial.advance(4_000)
    #expect(try trial.state("sum") == 8_002_000)
    try trial.advance(4_000)
    #expect(try trial.state("sum") == 32_004_000)
    #expect(trial.told() == [])
  }

  @Test("leaving thousands of records at once stops their effects and makes their dispatches stale")
  func records() throws {
    let trial = try Trial(
      """
      state { players = map {}, heard = 0 }
      action.fill {} action.start { id = string } action.stop {} action.heard {}
      machine.stage {
        each = "players", which = "id", initial = "waiting",
        waiting = { start = "playing" },
        playing = { stop = "waiting", effect = function() dispatch.heard() sleep(100) end },
      }
      function reduce.fill(s) for i = 1, 4000 do s.players["p" .. i] = { lives = 2 } end end
      function reduce.heard(s) s.heard = s.heard + 1 end
      function effect.fill()
        for i = 1, 4000 do dispatch.start { id = "p" .. i } end
        dispatch.stop()
      end
      """)
    try trial.play("fill")
    #expect(try trial.state("heard") == 0)
    #expect(trial.told().count { $0.contains("stale: heard comes from stage[") } == 4_000)
    #expect(try trial.host.pendingWork.isEmpty)
  }
}
