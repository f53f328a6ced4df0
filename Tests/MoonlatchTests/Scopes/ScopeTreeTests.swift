import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

@Suite struct ScopeTreeTests {
  /// With each `go` the instance of a scope closes, and another one opens.
  private let flow = """
    state { k = 0 }
    action.go {}
    function reduce.go(s) s.k = s.k + 1 end
    scope.sc { key = function(s) return s.k end }
    """

  private func engine(_ source: String) throws -> Engine {
    try Engine(LoadedFlow(source: source), limits: Limits(), log: ScriptLog { _ in })
  }

  @Test("closing an instance costs the same, however many have closed before")
  func closing() throws {
    let engine = try engine(flow)
    let costs = [1, 10, 100, 1_000, 3_000].map { count in
      while engine.revision < count { #expect(engine.dispatch("go", [:]).isPassed) }
      let before = engine.vm.instructionsUsed
      #expect(engine.dispatch("go", [:]).isPassed)
      return engine.vm.instructionsUsed - before
    }
    #expect(Set(costs).count == 1, "\(costs)")
  }

  @Test("only the latest thousand closed instances are kept")
  func forgetting() throws {
    let engine = try engine(flow)
    for _ in 0..<1_500 { #expect(engine.dispatch("go", [:]).isPassed) }
    let open = engine.scopes.current.compactMap { $0 }
    #expect(open == [ScopeTree.rootNumber, engine.caseState.lastScopeInstance])
    let kept = Set(engine.scopes.instances.keys).subtracting(open)
    #expect(
      kept == Set(engine.caseState.lastScopeInstance - 1_000..<engine.caseState.lastScopeInstance))
    #expect(engine.scopes.size == engine.scopes.instances.values.map(\.size).reduce(0, +))
  }

  @Test("an instance closes everything open inside it, the newest first, and nothing else")
  func trees() throws {
    let engine = try engine(
      """
      state { user = 1, page = 1, other = 1 }
      action.set { field = string, to = any }
      function reduce.set(s, a) s[a.field] = a.to end
      scope.user { key = function(s) return s.user end }
      scope.page { parent = "user", key = function(s) return s.page end }
      scope.other { key = function(s) return s.other end }
      """)
    func numbers() -> [Int?] { engine.scopes.current.dropFirst().map { $0 } }
    let (user, page, other) = (numbers()[0], numbers()[1], numbers()[2])
    #expect(engine.scopes.tree(try #require(user)) == [page, user])
    #expect(engine.dispatch("set", ["field": "user", "to": false]).isPassed)
    #expect(numbers() == [nil, nil, other])
    #expect(engine.scopes.closedSince(try #require(page)) == "set, #1")
    #expect(engine.scopes.closedSince(try #require(user)) == "set, #1")
    #expect(engine.scopes.tree(ScopeTree.rootNumber) == [other, ScopeTree.rootNumber])
  }
}
