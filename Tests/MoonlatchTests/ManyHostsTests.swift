import FlowHosting
import FlowKernel
import Testing

/// Several hosts at once.
@Suite struct ManyHostsTests {
  private static let flow = """
    state { count = 0, sum = 0 }
    action.add { number = integer }
    action.added { number = integer }
    function reduce.add(s, a) s.count = s.count + 1 end
    function effect.add(self, a) dispatch.added { number = self:double(a.number) } end
    function reduce.added(s, a) s.sum = s.sum + a.number end
    function view.sum(s) return s.sum end
    """

  @Test("hosts of one loaded flow run on several threads at once, and are independent")
  func threads() async throws {
    let loaded = try LoadedFlow(source: Self.flow)
    let sums = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for number in 1...8 {
        group.addTask {
          var options = HostOptions(clock: .virtual)
          options.addReducer(for: "added") { state, _ in
            try state.set("sum", to: state.value(at: "sum", as: Int.self) + number)
          }
          let host = try FlowHost(loaded, options: options) { scopes in
            scopes.root.provide("double") { (number: Int) in 2 * number }
          }
          for round in 1...50 {
            try host.dispatch("add", ["number": .integer(number)])
            if round == 25 { try host.reload() }
          }
          return (number, try host.view("sum", as: Int.self))
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(sums == Dictionary(uniqueKeysWithValues: (1...8).map { ($0, 150 * $0) }))
  }

  @Test("a capability of one host may use another host")
  func chained() async throws {
    let inner = try FlowHost(source: Self.flow, options: HostOptions(clock: .virtual)) { scopes in
      scopes.root.provide("double") { (number: Int) in 2 * number }
    }
    let outer = try FlowHost(source: Self.flow, options: HostOptions(clock: .virtual)) { scopes in
      scopes.root.provide("double") { (number: Int) throws -> Int in
        try inner.dispatch("add", ["number": .integer(number)])
        return try inner.view("sum", as: Int.self)
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...4 {
        group.addTask { for _ in 1...10 { try outer.dispatch("add", ["number": 1]) } }
      }
      try await group.waitForAll()
    }
    #expect(try await inner.view("sum") == 80)
    #expect(try await outer.view("sum") == .integer((1...40).reduce(0) { $0 + 2 * $1 }))
  }
}
