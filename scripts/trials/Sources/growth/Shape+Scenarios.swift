import Scenarios

/// Scenario files, and what scenarios expect.
extension Shape {
  static var scenarios: [Shape] {
    var shapes: [Shape] = []
    shapes.append(file("scenarios", 10, isInSmallForm: true))
    shapes.append(file("covered", 10, isInSmallForm: true) { $0.notesCoverage = true })
    shapes.append(file("matchers", 10, top: "local one = one_of { 1, 2 }", expected: "one"))
    shapes.append(file("restarted", 5) { $0.restarts = true })
    shapes.played("change", 100, isInSmallForm: true) { _ in
      raising
    } body: { size in
      """
      local expected = {}
      for i = 1, \(size) do expected[i] = { id = i + 1 } end
      pass.fill { count = \(size) }
      pass.raise()
      expect.change { list = expected }
      """
    }
    shapes.played("changedpaths", 100) { _ in
      raising
    } body: { size in
      """
      local expected = {}
      for i = 1, \(size) do expected['list[' .. i .. '].id'] = i + 1 end
      pass.fill { count = \(size) }
      pass.raise()
      expect.change(expected)
      """
    }
    shapes.played("changedmap", 100) { _ in
      """
      state { map = map {} }
      action.raise { by = integer, count = integer }
      function reduce.raise(s, a) for i = 1, a.count do s.map['k' .. i] = { id = i + a.by } end end
      """
    } body: { size in
      """
      local expected = {}
      for i = 1, \(size) do expected['k' .. i] = { id = i + 1 } end
      pass.raise { by = 0, count = \(size) }
      pass.raise { by = 1, count = \(size) }
      expect.change { map = expected }
      """
    }
    shapes.played("wholestate", 100) { _ in
      raising
    } body: { size in
      """
      local expected = {}
      for i = 1, \(size) do expected[i] = { id = i } end
      pass.fill { count = \(size) }
      expect.state { list = expected }
      """
    }
    shapes.played("given", 200) { _ in
      "state { list = list {} } action.go {}"
    } body: { size in
      """
      local list = {}
      for i = 1, \(size) do list[i] = i end
      given { list = list }
      pass.go()
      """
    }
    shapes.played("draws", 30) { _ in
      "state { k = 0 } action.go {} function reduce.go(s) s.k = random(1, 1000000) end"
    } body: { size in
      """
      local draws = {}
      for i = 1, \(size) do draws[i] = i end
      given.random(draws)
      for i = 1, \(size) do pass.go() expect { k = i } end
      """
    }
    shapes.played("prints", 100) { _ in
      """
      state {}
      action.say { count = integer }
      function reduce.say(s, a) for i = 1, a.count do print('line', i) end end
      """
    } body: { size in
      "pass.say { count = \(size) }"
    }
    shapes.played("steps", 30) { _ in
      counter
    } body: { size in
      "for i = 1, \(size) do pass.go() expect.change { k = i } end"
    }
    shapes.played("refusals", 30) { _ in
      "\(counter)\nfunction gate.go() return false, 'no' end"
    } body: { size in
      "for i = 1, \(size) do refuse.go():because('no') end"
    }
    return shapes
  }

  private static let raising = """
    state { list = list {} }
    action.fill { count = integer }
    action.raise {}
    function reduce.fill(s, a) for i = 1, a.count do s.list[i] = { id = i } end end
    function reduce.raise(s) for _, r in ipairs(s.list) do r.id = r.id + 1 end end
    """

  /// A file of so many scenarios.
  private static func file(
    _ name: String, _ base: Int, isInSmallForm: Bool = false, top: String = "",
    expected: String = "1",
    _ change: @escaping @Sendable (inout PlaySettings) -> Void = { _ in }
  ) -> Shape {
    Shape(name: name, base: base, isInSmallForm: isInSmallForm) { size in
      let text = """
        \(top)
        for i = 1, \(size) do
          scenario("s " .. i, function() pass.go() expect { k = \(expected) } end)
        end
        """
      try play(flow: counter, text, expecting: size, change)
    }
  }
}
