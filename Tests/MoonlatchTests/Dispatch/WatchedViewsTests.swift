import FlowHosting
import FlowKernel
import LuaRuntime
import Platform
import Testing

/// Views with subscribers, few of which a transition changes.
@Suite struct WatchedViewsTests {
  private let flow = """
    state { one = 1, two = 2, rows = list { { n = 1 }, { n = 2 } }, open = map {} }
    action.one {} function reduce.one(s) s.one = s.one + 1 end
    action.both {} function reduce.both(s) s.two, s.one = s.two + 1, s.one + 1 end
    action.row { at = integer, n = integer } function reduce.row(s, a) s.rows[a.at].n = a.n end
    action.fail {} function reduce.fail(s) s.one, s.two = 99, 99 error("no") end
    action.take {} action.go {} action.idle {}
    gatekeeper.busy { take = "attempt" }
    machine.side { initial = "left", left = { go = "right" }, right = { go = "left" } }
    function view.one(s) return s.one end
    function view.two(s) return s.two end
    function view.sum(s) return view.one() + view.two() end
    function view.rows(s)
      local ns = {}
      for i, row in ipairs(s.rows) do ns[i] = row.n end
      return ns
    end
    function view.first(s) return s.rows[1] end
    function view.side(s) return s.side end
    function view.busy(s) return not gatekeeper.busy:may_pass() end
    function view.picky(s) if s.one == 2 then error("not two") end return s.one end
    """
  private let views = ["one", "two", "sum", "rows", "first", "side", "busy", "picky"]

  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
    func subscriber(_ name: String) -> @Sendable (Result<Value, ViewError>) -> Void {
      { result in
        switch result {
        case .success(let value): self.add("\(name) \(value)")
        case .failure(.failed(let error)): self.add("\(name) ! \(error.message)")
        case .failure(let error): self.add("\(name) ! \(error)")
        }
      }
    }
  }

  /// How many tokens are there.
  private final class Alive: Sendable { let count = Mutex(0) }

  private final class Token: Sendable {
    let alive: Alive
    init(_ alive: Alive) {
      self.alive = alive
      alive.count.withLock { $0 += 1 }
    }
    deinit { alive.count.withLock { $0 -= 1 } }
  }

  private func watched(_ views: [String]) throws -> (host: FlowHost, log: Log) {
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
    let log = Log()
    for view in views { try host.watch(view, log.subscriber(view)) }
    _ = log.take()
    return (host, log)
  }

  @Test("only the views that a transition has changed run again, however many are watched")
  func untouched() throws {
    let (host, log) = try watched(views)
    let runs = { try views.map { try host.recomputations(of: $0) } }
    #expect(try runs() == [1, 1, 1, 1, 1, 1, 1, 1])
    try host.passing("row", ["at": 2, "n": 5])
    #expect(try runs() == [1, 1, 1, 2, 1, 1, 1, 1])
    try host.passing("row", ["at": 1, "n": 7])
    #expect(try runs() == [1, 1, 1, 3, 2, 1, 1, 1])
    try host.passing("go")
    try host.passing("take")
    try host.passing("idle")
    try host.failure(of: "fail")
    try host.passing("idle")
    #expect(try runs() == [1, 1, 1, 3, 2, 2, 2, 1])
    #expect(
      log.take() == [
        "rows { 1, 5 }", "rows { 7, 5 }", #"first { n = 7 }"#, #"side "right""#, "busy true",
      ])
  }

  @Test("subscribers of several views are notified in the order of subscription, not by view")
  func order() throws {
    let (host, log) = try watched(["sum", "two", "one", "two", "sum"])
    try host.passing("both")
    #expect(log.take() == ["sum 5", "two 3", "one 2", "two 3", "sum 5"])
    try host.passing("one")
    #expect(log.take() == ["sum 6", "one 3", "sum 6"])
    #expect(try host.recomputations(of: "sum") == 3)
  }

  @Test("undo and redo notify subscribers of their changes")
  func history() throws {
    let (host, log) = try watched(["one", "two"])
    try host.passing("one")
    try host.undo()
    try host.redo()
    #expect(log.take() == ["one 2", "one 1", "one 2"])
  }

  @Test("a view that raises runs once for all its subscribers")
  func raising() throws {
    let (host, log) = try watched(["picky", "picky", "one"])
    try host.passing("one")
    #expect(log.take() == ["picky ! not two", "picky ! not two", "one 2"])
    #expect(try host.recomputations(of: "picky") == 2)
    try host.passing("idle")
    #expect(log.take() == [])
    try host.passing("one")
    #expect(log.take() == ["picky 3", "picky 3", "one 3"])
  }

  @Test("an error of a view is reported once, and not again after unrelated or failed actions")
  func raisedOnce() throws {
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
    let log = Log()
    try host.passing("one")
    try host.watch("picky", log.subscriber("picky"))
    try host.passing("idle")
    try host.failure(of: "fail")
    try host.passing("idle")
    #expect(log.take() == ["picky ! not two"])
    #expect(try host.recomputations(of: "picky") == 1)
    try host.undo(3)
    #expect(log.take() == ["picky 1"])
  }

  @Test("a view depends on what it read in its last run, and on nothing that it read before")
  func reads() throws {
    let host = try FlowHost(
      source: """
        state { which = "a", a = 1, b = 2, c = 3 }
        action.set { name = string, value = any }
        function reduce.set(s, a) s[a.name] = a.value end
        function view.chosen(s)
          local sum = s[s.which] + s.c
          if s.which == "c" then error("not c") end
          return sum + s[s.which] - s[s.which]
        end
        """, options: HostOptions(clock: .virtual))
    let log = Log()
    try host.watch("chosen", log.subscriber("chosen"))
    func set(_ name: String, _ value: Value) throws -> [String] {
      try host.passing("set", ["name": .string(name), "value": value])
      return log.take()
    }
    #expect(log.take() == ["chosen 4"])
    #expect(try set("b", 20) == [])
    #expect(try set("a", 10) == ["chosen 13"])
    #expect(try set("which", "b") == ["chosen 23"])
    #expect(try set("a", 11) == [])
    #expect(try set("b", 21) == ["chosen 24"])
    #expect(try set("c", 4) == ["chosen 25"])
    #expect(try host.recomputations(of: "chosen") == 5)
    #expect(try set("which", "c") == ["chosen ! not c"])
    #expect(try set("a", 12) == [])
    #expect(try set("b", 22) == [])
    #expect(try set("c", 5) == ["chosen ! not c"])
    #expect(try set("which", "a") == ["chosen 17"])
    #expect(try set("c", 6) == ["chosen 18"])
    #expect(try set("b", 23) == [])
    #expect(try host.recomputations(of: "chosen") == 9)
  }

  @Test("a view that iterated over a list depends on added, removed and changed rows")
  func lists() throws {
    let host = try FlowHost(
      source: """
        state { rows = list {} }
        action.insert { at = integer, n = integer } action.remove { at = integer } action.sort {}
        action.set { at = integer, n = integer }
        function reduce.insert(s, a) table.insert(s.rows, a.at, { n = a.n }) end
        function reduce.remove(s, a) table.remove(s.rows, a.at) end
        function reduce.sort(s) table.sort(s.rows, function(a, b) return a.n < b.n end) end
        function reduce.set(s, a) s.rows[a.at].n = a.n end
        function view.text(s)
          local ns = {}
          for i, row in ipairs(s.rows) do ns[i] = tostring(row.n) end
          return table.concat(ns, " ")
        end
        function view.two(s) return #s.rows >= 2 and s.rows[1].n + s.rows[2].n or s.rows end
        """, options: HostOptions(clock: .virtual))
    let log = Log()
    try host.watch("text", log.subscriber("text"))
    try host.watch("two", log.subscriber("two"))
    _ = log.take()
    try host.passing("insert", ["at": 1, "n": 3])
    #expect(log.take() == [#"text "3""#, "two { { n = 3 } }"])
    try host.passing("insert", ["at": 1, "n": 5])
    try host.passing("insert", ["at": 2, "n": 4])
    #expect(log.take() == [#"text "5 3""#, "two 8", #"text "5 4 3""#, "two 9"])
    try host.passing("set", ["at": 3, "n": 1])
    #expect(log.take() == [#"text "5 4 1""#])
    try host.passing("sort")
    #expect(log.take() == [#"text "1 4 5""#, "two 5"])
    try host.passing("remove", ["at": 2])
    #expect(log.take() == [#"text "1 5""#, "two 6"])
    try host.undo()
    #expect(log.take() == [#"text "1 4 5""#, "two 5"])
    try host.passing("remove", ["at": 1])
    try host.passing("set", ["at": 1, "n": 8])
    #expect(log.take() == [#"text "4 5""#, "two 9", #"text "8 5""#, "two 13"])
    let runs = try host.recomputations(of: "two")
    #expect(try host.view("two") == 13)
    #expect(try host.recomputations(of: "two") == runs)
  }

  @Test("a script and the host get the same value of a view, whichever reads it first")
  func kept() throws {
    let host = try FlowHost(
      source: """
        state { rows = list { { n = 1 } }, told = none }
        action.look {} action.tell { value = any } action.add { n = integer }
        function view.rows(s) return { rows = s.rows, none = {}, count = #s.rows } end
        function effect.look() dispatch.tell { value = view.rows() } end
        function reduce.tell(s, a) s.told = { n = #a.value.rows, first = a.value.rows[1].n } end
        function reduce.add(s, a) table.insert(s.rows, 1, { n = a.n }) end
        """, options: HostOptions(clock: .virtual))
    let first: Value = ["count": 1, "none": [:], "rows": [["n": 1]]]
    #expect(try host.view("rows") == first)
    try host.passing("look")
    #expect(try host.state()["told"] == ["n": 1, "first": 1])
    #expect(try host.view("rows") == first)
    try host.passing("add", ["n": 2])
    try host.passing("look")
    #expect(try host.state()["told"] == ["n": 2, "first": 2])
    #expect(try host.view("rows") == ["count": 2, "none": [:], "rows": [["n": 2], ["n": 1]]])
    #expect(try host.recomputations(of: "rows") == 2)
  }

  @Test("a subscriber that another one cancels during the notification is not called")
  func cancellingAnother() throws {
    let (host, log) = try watched([])
    let second = Mutex<ViewSubscription?>(nil)
    try host.watch("one") { result in
      log.add("first \((try? result.get()) ?? .nil)")
      if case .success(2) = result { second.withLock { $0 }?.cancel() }
    }
    let cancelled = try host.subscribe("one", log.subscriber("second"))
    second.withLock { $0 = cancelled }
    try host.watch("one", log.subscriber("third"))
    _ = log.take()
    try host.passing("one")
    try host.passing("one")
    #expect(log.take() == ["first 2", "third 2", "first 3", "third 3"])
  }

  @Test("a subscriber added during a notification gets the value after it, and each later change")
  func subscribingInside() throws {
    let (host, log) = try watched([])
    try host.watch("one") { result in
      log.add("first \((try? result.get()) ?? .nil)")
      if case .success(2) = result { try? host.watch("one", log.subscriber("late")) }
    }
    try host.watch("one", log.subscriber("second"))
    _ = log.take()
    try host.passing("one")
    #expect(log.take() == ["first 2", "second 2", "late 2"])
    try host.passing("one")
    #expect(log.take() == ["first 3", "second 3", "late 3"])
  }

  @Test("subscriptions may be cancelled in any order, and the others stay")
  func cancelling() throws {
    let (host, log) = try watched([])
    var subscriptions: [(name: String, end: ViewSubscription)] = []
    for number in 1...6 {
      let name = "s\(number)"
      subscriptions.append(
        (name, try host.subscribe(number % 2 == 0 ? "one" : "sum", log.subscriber(name))))
    }
    _ = log.take()
    for index in [3, 0, 3, 1] {
      subscriptions.remove(at: index).end.cancel()
      try host.passing("one")
      #expect(log.take().map { String($0.prefix(2)) } == subscriptions.map(\.name))
    }
  }

  @Test("subscriptions of released owners do not accumulate on a view that never changes")
  func owners() throws {
    let alive = Alive()
    let host = try FlowHost(source: flow)
    for _ in 1...1_000 {
      let (owner, token) = (Token(alive), Token(alive))
      try host.subscribe("two", owner: owner) { [token] _, _ in _ = token }
    }
    #expect(alive.count.withLock { $0 } < 100)
  }

  @Test("after a reload, subscribers of removed views are notified first, in order")
  func reload() throws {
    let folder = try TestFolder()
    let file = try folder.write(flow, to: "flow.lua")
    let host = try FlowHost(flow: file, options: HostOptions(clock: .virtual))
    let log = Log()
    for view in ["two", "one", "sum", "side"] {
      try host.watch(view, log.subscriber(view))
    }
    _ = log.take()
    let new = flow.replacingOccurrences(
      of: "view.two(s) return s.two", with: "view.dos(s) return s.two"
    )
    .replacing("view.one() + view.two()", with: "10 * view.one()")
    .replacing("function view.side", with: "function view.face")
    try folder.write(new, to: "flow.lua")
    try host.reload()
    #expect(
      log.take() == [
        "two ! view two is gone since the reload", "side ! view side is gone since the reload",
        "sum 10",
      ])
    try host.passing("both")
    #expect(log.take() == ["one 2", "sum 20"])
  }
}
