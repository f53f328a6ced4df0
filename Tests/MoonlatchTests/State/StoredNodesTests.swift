import Testing

/// Tables of the state that a function has stored in a local: an effect cannot read the state there.
@Suite struct StoredNodesTests {
  /// How a function may store the state, and how an effect gets at it.
  private typealias Place = (declared: String, store: String, get: String)
  private static let places: [Place] = [
    ("local kept", "kept = s", "kept"),
    ("local kept = {}", "kept[1] = s", "kept[1]"),
    ("local kept = { a = { b = {} } }", "kept.a.b.c = s", "kept.a.b.c"),
    ("local kept", "kept = { deep = { s } }", "kept.deep[1]"),
    ("local kept", "kept = function() return s end", "kept()"),
    ("local kept = {}", "kept[1] = function() return s end", "kept[1]()"),
    ("local kept = {}", "setmetatable(kept, { __index = { it = s } })", "kept.it"),
    ("local kept\nlocal function put(x) kept = x end", "put(s)", "kept"),
    ("local kept\nlocal function get() return kept end", "kept = s", "get()"),
    (
      "local kept", "kept = coroutine.wrap(function() while true do coroutine.yield(s) end end)",
      "kept()"
    ),
  ]

  /// How a table of the state may be read, from its root `s` on.
  private static let reads = [
    "s.n", "s.user.name", "s.rows[1].id", "#s.rows", "#s.numbers", "s.open.a.b",
    "pairs(s)", "ipairs(s.rows)", "next(s.rows)", "table.concat(s.numbers)",
    "table.unpack(s.numbers)", "(function() for _ in pairs(s.open) do end end)()",
    "dispatch.put { rows = s.numbers }", "s.absent",
  ]

  private func flow(_ place: Place, by: String = "reducer") -> String {
    let store =
      by == "reducer"
      ? "function reduce.go(s) s.n = s.n + 1 \(place.store) end"
      : "function reduce.go(s) s.n = s.n + 1 end\nfunction view.v(s) local _ = s.n \(place.store) end"
    return """
      \(everything)
      \(place.declared)
      action.go {} action.look {} action.put { rows = list(integer) }
      \(store)
      function effect.look()
        \(by == "view" ? "local _ = view.v()" : "")
        \(Self.reads.map { "print(pcall(function() local s = \(place.get) return \($0) end))" }
          .joined(separator: "\n  "))
        sleep(1)
        print(pcall(function() local s = \(place.get) return s.n end))
      end
      """
  }

  private func expectRefusals(_ printed: [String], _ comment: String) {
    #expect(printed.count == Self.reads.count + 1, "\(comment)")
    for (line, read) in zip(printed, Self.reads + ["s.n, later"]) {
      #expect(
        line.hasPrefix("false\t") && line.contains("an effect cannot read the state"),
        "\(comment): \(read) gives \(line)")
    }
  }

  @Test("an effect cannot read a table of the state that a reducer has stored", arguments: 0..<10)
  func reducers(number: Int) throws {
    let place = Self.places[number]
    let trial = try Trial(flow(place))
    try trial.play("go")
    try trial.play("look")
    try trial.advance(1)
    expectRefusals(trial.printed.take(), place.store)
    try trial.play("go")
    #expect(try trial.state("n") == 3)
  }

  @Test("an effect cannot read a table of the state that a view has stored", arguments: 0..<10)
  func views(number: Int) throws {
    let place = Self.places[number]
    let trial = try Trial(flow(place, by: "view"))
    try trial.play("look")
    try trial.advance(1)
    expectRefusals(trial.printed.take(), place.store)
  }

  @Test("an iterator over the state that a reducer has stored reads nothing in an effect")
  func iterators() throws {
    let trial = try Trial(
      """
      \(everything)
      local steps = {}
      action.go {} action.look {}
      function reduce.go(s)
        for _, t in ipairs { s, s.rows, s.numbers, s.open } do
          steps[#steps + 1] = pairs(t)
          steps[#steps + 1] = ipairs(t)
        end
      end
      function effect.look()
        for _, step in ipairs(steps) do print(pcall(step, {}, 0)) end
      end
      """)
    try trial.play("go")
    try trial.play("look")
    let printed = trial.printed.take()
    #expect(printed.count == 8)
    for line in printed {
      #expect(!line.hasPrefix("true\t1") && !line.contains("\tuser"), "\(line)")
    }
  }

  @Test("an effect can read stored tables that do not belong to the state")
  func plainValues() throws {
    let trial = try Trial(
      """
      state { n = 1 }
      local count, last, prices = 0, nil, { tea = 3 }
      action.go {} action.look {}
      function reduce.go(s) s.n = s.n + prices.tea count = count + 1 last = { n = s.n } end
      function view.n(s) return s.n end
      function effect.look() print(count, last.n, prices.tea, view.n()) end
      """)
    try trial.play("go")
    try trial.play("look")
    #expect(trial.printed.take() == ["1\t4\t3\t4"])
  }
}
