import FlowHosting
import FlowKernel
import Testing

/// Tables of the state that are removed, moved and restored, and the views that have read them.
@Suite struct MovedNodesTests {
  private static func host(_ reducers: String, views: String = "") throws -> FlowHost {
    let names = reducers.split(separator: "\n").indices.map { "step\($0)" }
    let functions = zip(names, reducers.split(separator: "\n"))
      .map { "action.\($0) {}\nfunction reduce.\($0)(s) \($1) end" }
    return try FlowHost(
      source: """
        state {
          m = map { p = { c = { x = 1 } }, a = { x = 1, y = 2 } }, out = map {}, nums = list { 1 }, n = 0,
        }
        local K = ("k"):rep(50)
        \(functions.joined(separator: "\n"))
        \(views)
        """)
  }

  @Test("a table taken out of another one has one path, whatever happens to the other")
  func takenOut() throws {
    for body in [
      "local p = s.m.p local c = p.c s.out.c = c s.out.p = p s.m.p = nil",
      "local p = s.m.p local c = p.c s.m.p = nil s.out = map { c = c, p = p }",
      "local p = s.m.p local c = p.c s.m.p = nil s.out = map { p = p, c = c }",
    ] {
      let host = try Self.host(body + "\ns.out.c.x = 5")
      #expect(try host.dispatch("step0").isPassed)
      #expect(try host.dispatch("step1").isPassed)
      #expect(try host.state()["out"] == ["c": ["x": 5], "p": ["c": ["x": 1]]], "\(body)")
      try host.undo()
      #expect(try host.state()["out"]?["c"] == ["x": 1])
    }
  }

  @Test("a view is recomputed after a rollback that had added a field to its record")
  func rolledBack() throws {
    for body in ["s.m.a.z = 3 error('no')", "s.m.a.z = {} error('no')"] {
      let host = try Self.host(
        body + "\ns.m.a.x = s.m.a.x + 5", views: "function view.x(s) return s.m.a.x end")
      #expect(try host.view("x") == 1)
      #expect(try !host.dispatch("step0").isPassed)
      #expect(try host.dispatch("step1").isPassed)
      #expect(try host.view("x") == 6)
    }
  }

  @Test("none is rejected as an element of a list, wherever the list comes from")
  func holes() throws {
    for body in [
      "s.nums = { 1, none, 3 }", "s.out.list = { none }", "s.out.deep = { { 1, none } }",
    ] {
      let host = try Self.host(body)
      let before = try host.state()
      guard case .failed(let failure) = try host.dispatch("step0") else {
        Issue.record("\(body) passed")
        continue
      }
      #expect(failure.message.contains("is not plain data"), "\(failure.message)")
      #expect(try host.state() == before)
    }
  }

  @Test("a change has the old value of a table under a long key")
  func longKeys() throws {
    let host = try Self.host(
      """
      s.m.a[K] = 1
      s.m.a[("k"):rep(50)] = { x = 1 }
      s.out.c = s.m.p local held = s.m.a[K] s.m.a = nil held.x = 5 s.out.z = held
      """)
    #expect(try host.dispatch("step0").isPassed)
    #expect(try host.dispatch("step1").isPassed)
    let before = try host.state()
    #expect(try host.dispatch("step2").isPassed)
    try host.undo()
    #expect(try host.state() == before)
  }

  @Test("ipairs over a text visits no elements")
  func texts() throws {
    let host = try Self.host(
      "for _ in ipairs(('x'):rep(60)) do s.n = 1 end for _ in ipairs('abc') do s.n = 2 end")
    #expect(try host.dispatch("step0").description.contains("number expected") == false)
    #expect(try host.state()["n"] == 0)
  }

  @Test("a record with a long key is stored like any other")
  func longNames() throws {
    let long = String(repeating: "k", count: 60)
    let host = try FlowHost(
      source: """
        state { m = map {}, n = 0 }
        local K = ("k"):rep(60)
        action.put {} action.get {}
        function reduce.put(s) s.m.x = { [K] = 1, a = 2 } end
        function reduce.get(s) s.n = s.m.x[K] or -1 end
        """, options: HostOptions(clock: .virtual))
    let patch = try host.dispatch("put").commit?.writes
    #expect(patch.map { "\($0)" }?.contains(long) == true)
    try host.dispatch("get")
    #expect(try host.state() == ["m": ["x": [long: 1, "a": 2]], "n": 1])
    try host.undo(2)
    try host.redo(2)
    #expect(try host.state()["n"] == 1)
  }
}
