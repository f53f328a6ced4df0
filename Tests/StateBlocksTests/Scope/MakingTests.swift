import StateBlocks
import Testing

@Suite("cyclic factories")
struct MakingTests {
  /// Three factories that call each other by name, as a script's may.
  private func circle() throws -> Scope<Void, NoParent> {
    let root = Scope("root")
    root.factory("a") { try $0.any.make("b") }
    root.factory("b") { try $0.any.make("c") }
    root.factory("c") { try $0.any.make("a") }
    root.factory("self") { try $0.any.make("self") }
    root.factory("fine") { _ in 1 }
    return root
  }

  @Test("a cycle of factories is an error that names the path, and the scope works afterwards")
  func named() throws {
    let app = try circle().open()
    let error = #expect(throws: ScopeError.self) { try app.any.make("a") }
    #expect(
      error.map { "\($0)" } == "making root.a requires itself: root.a → root.b → root.c → root.a")
    let other = #expect(throws: ScopeError.self) { try app.any.make("self") }
    #expect(other.map { "\($0)" } == "making root.self requires itself: root.self → root.self")
    #expect(try app.any.make("fine") as? Int == 1)
    #expect(throws: ScopeError.self) { try app.any.make("c") }
  }

  @Test("a cycle through a captured instance, or through a child scope, is detected too")
  func captured() throws {
    let root = Scope("root")
    let user = root.lock("user", key: Int.self)
    root.factory("home") { try $0.unlock(user, with: 1).any.make("profile") }
    user.factory("profile") { try $0.any.make("home") }
    let error = #expect(throws: ScopeError.self) { try root.open().any.make("home") }
    #expect(
      error.map { "\($0)" }
        == "making root.home requires itself: root.home → root/user.profile → root.home")
  }

  @Test("the same factory in two instances, or on two threads, is no cycle")
  func noCircle() throws {
    let root = Scope("root", key: Int.self)
    let next = Agent<Scope<Int, NoParent>.Instance?>(nil)
    let sum = root.factory("sum") { root -> Int in
      let key = try root.key
      guard key == 1, let other = try next.value else { return key }
      return key + (try other.any.make("sum") as? Int ?? 0)
    }
    let two = try root.open(with: 2)
    try next.update { $0 = two }
    let one = try root.open(with: 1)
    #expect(try one.make(sum) == 3)
    try onThreads(4) { _ in
      for _ in 0..<200 { try check(try one.make(sum) == 3, "the sum is wrong") }
    }
  }
}
