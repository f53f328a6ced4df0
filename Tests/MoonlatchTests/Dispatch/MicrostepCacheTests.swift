import Testing

/// Machines of several regions that repeat the same microsteps.
@Suite struct MicrostepCacheTests {
  private static let flow = """
    state { n = 0, log = list {}, open = true }
    for _, name in ipairs { "flip", "swap", "both", "ask", "shut" } do action[name] {} end
    local function fine(s) return s.open, "shut" end
    machine.pair { parallel = { "one", "two" },
      one = { initial = "a", on_enter = function(s) end,
        a = { flip = { to = "b", when = fine }, both = "b", on_exit = function(s) s.log[#s.log + 1] = "a" end },
        b = { flip = "a", both = { to = "a", reduce = function(s) s.n = s.n + 10 end } } },
      two = { initial = "x", x = { swap = "y", both = "y" }, y = { swap = "x", both = "x" } },
      shut = true }
    function reduce.flip(s) s.n = s.n + 1 end
    function reduce.shut(s) s.open = false end
    function effect.ask() for _, name in ipairs { "flip", "swap", "both" } do print(name, may[name]()) end end
    """

  @Test("a cached microstep has the same result, whatever the other regions' states")
  func again() throws {
    let (trial, fresh) = (try Trial(Self.flow), try Trial(Self.flow))
    let actions = (0..<60).map { ["flip", "swap", "both", "flip", "both"][$0 % 5] }
    for action in actions { try trial.play(action) }
    // Undone and redone, so that no way of the other host's is gone twice from the same place in order.
    for action in actions {
      try fresh.play(action)
      try fresh.host.undo()
      try fresh.host.redo()
    }
    #expect(try trial.host.state() == fresh.host.state())
    #expect(try trial.state("n") == 264)
    #expect(try trial.state("log").listValue?.count == 24)
  }

  @Test("the guards of a cached microstep are evaluated each time, also with may in between")
  func asked() throws {
    let trial = try Trial(Self.flow)
    for _ in 1...3 {
      try trial.play("flip")
      try trial.play("flip")
    }
    try trial.play("ask")
    #expect(trial.printed.take() == ["flip\ttrue", "swap\ttrue", "both\ttrue"])
    try trial.play("both")
    try trial.play("both")
    try trial.play("shut")
    #expect(try trial.play("flip") == "refused by machine pair: shut")
    #expect(try trial.state("one") == "a")
  }

  @Test("transitions are correct in more configurations than the cache holds")
  func many() throws {
    let regions = (1...12).map { "r\($0)" }
    let trial = try Trial(
      """
      state { n = 0 }
      \(regions.map { "action.\($0) {}" }.joined(separator: " "))
      machine.many { parallel = { \(regions.map { "\"\($0)\"" }.joined(separator: ", ")) },
      \(regions.map { "\($0) = { initial = \"a\", a = { \($0) = \"b\" }, b = { \($0) = \"a\" } }" }
        .joined(separator: ",\n")) }
      """)
    // As a counter in Gray code: each place but a few is a new one.
    var stands = [Bool](repeating: false, count: 12)
    for step in 1...1_500 {
      let region = step.trailingZeroBitCount
      try trial.play("r\(region + 1)")
      stands[region].toggle()
    }
    for (region, isB) in stands.enumerated() {
      #expect(try trial.state("r\(region + 1)") == (isB ? "b" : "a"))
    }
  }
}
