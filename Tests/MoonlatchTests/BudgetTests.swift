import FlowHosting
import FlowKernel
import LuaRuntime
import Platform
import Testing

/// The shared instruction budget of a dispatch.
@Suite struct BudgetTests {
  private func host(
    _ flow: String, instructions: Int = 100_000,
    report: @escaping @Sendable (String) -> Void = { _ in },
    scopes: (inout HostScopes) -> Void = { _ in }
  ) throws -> FlowHost {
    try FlowHost(
      source: flow,
      options: HostOptions(
        limits: Limits(instructionsPerDispatch: instructions), clock: .virtual,
        report: { report("\($0)") }),
      scopes: scopes)
  }

  /// A loop that takes three fifths of the budget.
  private static let work = "for _ = 1, 60000 do end"

  @Test(
    "two functions of a dispatch share its budget",
    arguments: [
      "gate('a', { 'go' }, function() WORK return true end) "
        + "gate('b', { 'go' }, function() WORK return true end)",
      "function gate.go() WORK return true end function reduce.go() WORK end",
      "function reduce.go(s) s.n = 1 WORK end function invariant.i(s) WORK return s.n < 5 end",
      "function invariant.a(s) if s.n > 0 then WORK end return true end "
        + "function invariant.b(s) if s.n > 0 then WORK end return true end "
        + "function reduce.go(s) s.n = 1 end",
      "function reduce.go(s) s.n = 1 WORK end "
        + "scope.s { key = function(s) if s.n > 0 then WORK end return s.n end }",
      "machine.m { initial = 'a', a = { go = { to = 'b', when = function() WORK return true end } }, "
        + "b = { go = 'a', after = { go = function() WORK return 1 end } } }",
      "function view.v(s) WORK return s.n end function gate.go() WORK return view.v() == 0 end",
    ])
  func together(rules: String) throws {
    let flow =
      "state { n = 0 } action.go {} "
      + rules.replacing("WORK", with: BudgetTests.work)
    let outcome = try host(flow).dispatch("go")
    guard case .failed(let failure) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.kind == .limit)
    #expect(failure.message == "the instruction limit is reached (100000)")
    #expect(try host(flow, instructions: 200_000).dispatch("go").isPassed)
  }

  @Test("an effect shares the budget of its dispatch, and has a full one after it has waited")
  func effects() throws {
    let reports = Mutex<[String]>([])
    let host = try host(
      """
      state {} action.go {} action.later {}
      function reduce.go() \(BudgetTests.work) end
      function effect.go() \(BudgetTests.work) end
      function reduce.later() \(BudgetTests.work) end
      function effect.later() sleep(1) \(BudgetTests.work) end
      """, report: { text in reports.withLock { $0.append("\(text)") } })
    #expect(try host.dispatch("later").isPassed)
    try host.advance(1)
    #expect(reports.withLock { $0 } == [])
    #expect(try host.dispatch("go").isPassed)
    #expect(reports.withLock { $0.first }?.contains("the instruction limit is reached") == true)
  }

  @Test("an effect that calls `may` pays for the rules that are evaluated")
  func may() throws {
    let reports = Mutex<[String]>([])
    let host = try host(
      """
      state {} action.go {} action.asked {}
      function gate.asked() for _ = 1, 1000 do end return true end
      function effect.go() while true do may.asked() end end
      """, report: { text in reports.withLock { $0.append("\(text)") } })
    let before = try host.instructionsUsed
    #expect(try host.dispatch("go").isPassed)
    #expect(reports.withLock { $0.first }?.contains("effect.go did not finish") == true)
    #expect(try host.instructionsUsed - before < 110_000)
  }

  @Test("after a reload an effect of the old text pays for the rules of the new one")
  func mayAfterReload() async throws {
    let folder = try TestFolder()
    let flow = """
      state {} action.go {} action.asked {}
      function gate.asked() for _ = 1, 1000 do end return true end
      function effect.go() sleep(1) while true do may.asked() end end
      """
    let reports = Mutex<[String]>([])
    let host = try FlowHost(
      flow: folder.write(flow, to: "flow.lua"),
      options: HostOptions(
        limits: Limits(instructionsPerDispatch: 100_000), clock: .virtual,
        report: { text in reports.withLock { $0.append("\(text)") } }))
    try await host.dispatch("go")
    try host.reload(.keep)
    try host.advance(1)
    #expect(reports.withLock { $0.first }?.contains("effect.go did not finish") == true)
  }

  @Test("the work of a subscriber and of a dispatch are charged separately")
  func subscribers() throws {
    let host = try host(
      """
      state { n = 0 } action.go {}
      function view.v(s) \(BudgetTests.work) return s.n end
      function reduce.go(s) s.n = s.n + 1 \(BudgetTests.work) end
      """)
    let seen = Mutex<[Value]>([])
    let subscription = try host.subscribe("v") { result in
      if case .success(let value) = result { seen.withLock { $0.append(value) } }
    }
    #expect(try host.dispatch("go").isPassed)
    #expect(seen.withLock { $0.last } == 1)
    _ = subscription
  }

  @Test("watching a view changes neither where a limit falls nor its message", arguments: 0..<40)
  func watched(step: Int) throws {
    let flow = """
      state { n = 0, list = list {} } action.go {} action.touch {}
      function view.inner(s) for _ = 1, 2000 do end return s.n end
      function view.outer(s) local n = 0 for i = 1, 3 do n = n + view.inner() end return { n = n } end
      function gate.go()
        return view.inner() + view.outer().n + view.outer().n + view.inner() >= 0
      end
      function reduce.touch(s) s.list[1] = 1 end
      function reduce.go(s) for _ = 1, 500 do end s.n = s.n + 1 end
      function effect.go() for _ = 1, 100 do end view.outer() view.inner() end
      """
    func run(isWatched: Bool) throws -> [String] {
      let reports = Mutex<[String]>([])
      let host = try host(
        flow, instructions: 500 + 977 * step,
        report: { text in reports.withLock { $0.append("\(text)") } })
      var subscriptions: [ViewSubscription] = []
      if isWatched {
        for view in ["inner", "outer"] {
          subscriptions.append(try host.subscribe(view) { _ in })
        }
      }
      var told: [String] = []
      for action in ["touch", "go", "go", "touch", "go"] {
        told.append("\(try host.dispatch(action))")
        if isWatched { _ = try? host.view("outer") }
      }
      return told + reports.withLock { $0 }
    }
    #expect(try run(isWatched: true) == run(isWatched: false))
  }

  @Test("a view is charged once in a dispatch, however often it is read")
  func once() throws {
    let host = try host(
      """
      state { n = 0 } action.go {}
      function view.v(s) for _ = 1, 20000 do end return s.n end
      function gate.go() for _ = 1, 1000 do view.v() end return true end
      """)
    #expect(try host.dispatch("go").isPassed)
  }

  @Test(
    "an insertion or a removal at the front of a list is charged by the bytes that it moves",
    arguments: ["s.list", "plain"], ["table.insert(LIST, 1, 0)", "table.remove(LIST, 1)"])
  func splices(list: String, call: String) throws {
    let host = try host(
      """
      state { list = list {} }
      action.fill {}
      action.go { times = integer }
      function reduce.fill(s) for i = 1, 16000 do s.list[i] = i end end
      function reduce.go(s, a)
        local plain = table.move(s.list, 1, #s.list, 1, {})
        for _ = 1, a.times do \(call.replacing("LIST", with: list)) end
      end
      """, instructions: 10_000_000)
    #expect(try host.dispatch("fill").isPassed)
    func used(_ times: Int) throws -> Int {
      let before = try host.instructionsUsed
      #expect(try host.dispatch("go", ["times": .integer(times)]).isPassed)
      return try host.instructionsUsed - before
    }
    // Sixteen bytes for each of 16,000 elements are 1,000 instructions.
    #expect((9_900..<13_000).contains(try used(11) - used(1)))
  }

  @Test("loading has one budget, from the file's first line to the first state's invariants")
  func loading() throws {
    let flow = """
      state { n = 0 }
      \(BudgetTests.work)
      function invariant.i(s) \(BudgetTests.work) return s.n == 0 end
      """
    #expect {
      try FlowHost(
        source: flow, options: HostOptions(limits: Limits(instructionsPerLoad: 100_000)))
    } throws: {
      "\($0)".contains("the instruction limit is reached (100000)")
    }
  }

  @Test("a dispatch with all its nested calls is one run for the watchdog")
  func time() throws {
    let runs = Mutex<[[CurrentRun]]>([])
    let host = try host(
      """
      state {} action.go {} action.asked {}
      function gate.asked() return true end
      function gate.go() return true end
      function effect.go(self) self:look() may.asked() self:look() end
      """,
      scopes: { (scopes: inout HostScopes) in
        scopes.root.provide("look") { () -> Bool in
          runs.withLock { $0.append(CurrentRun.all) }
          return true
        }
      })
    #expect(try host.dispatch("go").isPassed)
    let seen = runs.withLock { $0 }
    try #require(seen.count == 2)
    let both = Set(seen[0]).intersection(seen[1])
    #expect(both.contains { $0.kind == "a dispatch" })
  }
}
