import FlowHosting
import FlowKernel
import LuaRuntime
import Platform
import Testing

/// Hosts of a loaded flow: the first runs its text, and later ones are cloned.
@Suite struct VMTemplateCacheTests {
  private static let flow = """
    state { rows = list {}, by = map {}, total = 0 }
    action.add { name = string, price = integer { min = 1 } }
    action.spoil {}
    action.open {}
    local seen = 0
    local function total(s, price)
      seen = seen + 1
      return s.total + price
    end
    function reduce.add(s, a)
      s.rows[#s.rows + 1] = { name = a.name, number = seen }
      s.by[a.name] = #s.rows
      s.total = total(s, a.price)
    end
    function reduce.spoil(s)
      local nothing = s.by.nobody
      s.total = nothing.total
    end
    function gate.add(s, a) return s.total + a.price <= 100, a.name .. " is too dear" end
    function reduce.open(s) s.door = "open" end
    machine.lock { initial = "shut", shut = { add = "used" }, used = { add = "used" } }
    scope.session { key = function(s) return s.by.ann end }
    effect.add(function(self, a) random() end)
    function view.rows(s) return #s.rows + s.total end
    function invariant.positive(s) return s.total >= 0 end
    """

  /// All that a host says when it plays.
  private func play(_ host: FlowHost) throws -> [String] {
    var said: [String] = []
    for (name, price) in [("ann", 3), ("bob", 0), ("cid", 200), ("ann", 5), ("dan", 7)] {
      said.append("\(try host.dispatch("add", ["name": .string(name), "price": .integer(price)]))")
      said.append("\(try host.view("rows")) \(try host.instructionsUsed)")
    }
    for action in ["spoil", "open", "none"] { said.append("\(try host.dispatch(action))") }
    said.append("\(try host.state()) \(try host.pendingWork) \(try host.commits.map(\.writes))")
    return said
  }

  @Test("hosts of a flow behave the same, loaded from the text or cloned")
  func same() throws {
    let loaded = try LoadedFlow(source: Self.flow)
    let hosts = try (0..<5).map { _ in
      try FlowHost(loaded, options: HostOptions(clock: .virtual, report: { _ in }))
    }
    let first = try play(hosts[0])
    #expect(first.contains { $0.contains("local 'nothing'") && $0.contains("flow.lua:17") })
    for host in hosts.dropFirst() { #expect(try play(host) == first) }
  }

  @Test("a flow that prints while it loads prints in each host")
  func prints() throws {
    let loaded = try LoadedFlow(
      source: "print('hello')  state { n = 0 }  action.go {}  function reduce.go() end")
    for _ in 0..<4 {
      let lines = Mutex<[String]>([])
      _ = try FlowHost(
        loaded, options: HostOptions(print: { line in lines.withLock { $0.append(line) } }))
      #expect(lines.withLock { $0 } == ["hello"])
    }
  }

  @Test("a host has its own limits, independent of other hosts")
  func limits() throws {
    let loaded = try LoadedFlow(source: Self.flow)
    let few = HostOptions(limits: Limits(instructionsPerLoad: 50))
    for _ in 0..<3 { _ = try FlowHost(loaded) }
    for _ in 0..<3 {
      let error = #expect(throws: ScriptError.self) { try FlowHost(loaded, options: few) }
      #expect(error?.kind == .limit)
    }
    _ = try FlowHost(loaded)
  }

  @Test("tables and functions used as keys, and coroutines, work in each host of a flow")
  func addresses() throws {
    let loaded = try LoadedFlow(
      source: """
        local key, waits = {}, coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end)
        local found = { [key] = 5, [waits] = waits() }
        state { n = 0 }
        action.go {}
        function reduce.go(s) s.n = found[key] + found[waits] + waits() end
        """)
    for _ in 0..<4 {
      let host = try FlowHost(loaded)
      #expect(try host.dispatch("go").isPassed)
      #expect(try host.state() == ["n": 8])
    }
  }

  @Test("hosts can be started from several threads at once")
  func threads() async throws {
    let loaded = try LoadedFlow(source: Self.flow)
    let expected = try play(
      FlowHost(loaded, options: HostOptions(clock: .virtual, report: { _ in })))
    try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<16 {
        group.addTask {
          try play(FlowHost(loaded, options: HostOptions(clock: .virtual, report: { _ in })))
        }
      }
      for try await said in group { #expect(said == expected) }
    }
  }

  @Test("limits fall at the same point in each host, loaded or cloned")
  func sameLimits() throws {
    let loaded = try LoadedFlow(
      source: """
        state { n = 0, l = list {} }
        action.go { n = integer }
        local function dive(n) if n == 0 then return 0 end local a, b, c = 1, 2, 3 return 1 + dive(n - 1) end
        dive(190)
        function reduce.go(s, a) s.n = dive(a.n) end
        function invariant.i(s) local x = 0 for i = 1, 300 do x = x + i end return x > 0 end
        scope.session { key = function(s) local x = 0 for i = 1, 100 do x = x + 1 end return "k" end }
        """)
    for limit in stride(from: 1_000, through: 6_000, by: 250) {
      let options = HostOptions(
        limits: Limits(instructionsPerDispatch: limit, instructionsPerLoad: limit), clock: .virtual)
      let said = (0..<4).map { _ -> [String] in
        do {
          let host = try FlowHost(loaded, options: options)
          return try [5, 60, 100, 180].map { "\(try host.dispatch("go", ["n": .integer($0)]))" }
            + ["\(try host.instructionsUsed)"]
        } catch {
          return ["\(error)"]
        }
      }
      for one in said.dropFirst() { #expect(one == said[0], "\(limit)") }
    }
  }
}
