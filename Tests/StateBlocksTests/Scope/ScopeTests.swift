import StateBlocks
import Testing

@Suite("a scope")
struct ScopeTests {
  @Test("makes a new object for each call")
  func newThings() throws {
    final class Thing: Sendable {}
    let root = Scope("root")
    let thing = root.factory("thing") { _ in Thing() }
    let app = try root.open()
    #expect(try app.make(thing) !== app.make(thing))
  }

  @Test("is released with everything inside it when nothing references it")
  func goes() throws {
    final class Token: Sendable {}
    weak var token: Token?
    func open() throws {
      let held = Token()
      token = held
      let root = Scope("root")
      let user = root.lock("user", key: Int.self)
      let thing = user.factory("thing") { _ in held }
      #expect(try root.open().unlock(user, with: 1).make(thing) === held)
    }
    try open()
    #expect(token == nil)
  }

  @Test("passes the key to factories, and the parents' products to children, three scopes deep")
  func parents() throws {
    let root = Scope("root")
    let prefix = root.factory("prefix") { _ in "id" }
    let one = root.lock("one", key: Int.self)
    let two = one.lock("two", key: String.self)
    let number = one.factory("number") { one in try one.key + 1 }
    let label = two.factory("label") { two in
      "\(try two.make(prefix))-\(try two.make(number))-\(try two.key)"
    }
    let three = two.lock("three", key: Bool.self)
    let shout = three.factory("shout") { three in
      try three.make(label) + (try three.parent.parent.parent.make(prefix))
    }
    let instance = try root.open().unlock(one, with: 1).unlock(two, with: "x")
    #expect(try instance.make(label) == "id-2-x")
    #expect(try instance.unlock(three, with: true).make(shout) == "id-2-xid")
    #expect("\(instance)" == "scope root/one/two")
  }

  @Test("reports all duplicate declarations together, and opens nothing")
  func declaredTwice() throws {
    let root = Scope("root")
    root.factory("thing") { _ in 1 }
    root.capability("thing") { (_, _: Int) in 2 }
    let user = root.lock("user", key: Int.self)
    user.factory("name") { _ in "" }
    user.factory("name") { _ in "" }
    let error = #expect(throws: ScopeError.self) { try root.open() }
    #expect(error.map { "\($0)" } == "declared more than once: root.thing, root/user.name")
  }

  @Test("a private member is available in its own scope, and not in its children")
  func privateMembers() throws {
    let root = Scope("root")
    let secret = root.factory("secret", private: true) { _ in "token" }
    let shown = root.factory("shown") { root in try root.make(secret).count }
    let user = root.lock("user", key: Int.self)
    let steal = user.factory("steal") { user in try user.make(secret) }
    let climb = user.factory("climb") { user in try user.parent.make(secret) }
    let app = try root.open()
    let child = try app.unlock(user, with: 1)
    #expect(try app.make(secret) == "token")
    #expect(try child.make(shown) == 5)
    let error = #expect(throws: ScopeError.self) { try child.make(steal) }
    #expect(error.map { "\($0)" } == "\"secret\" is private to scope root")
    #expect(throws: ScopeError.self) { try child.make(climb) }
    #expect(throws: ScopeError.self) { try child.any.make("secret") }
    #expect(throws: ScopeError.self) { try child.any.parent?.make("secret") }
  }

  @Test("a capability can be called and lent, and ends with the scope that lent it")
  func capabilities() throws {
    let root = Scope("root")
    let greet = root.capability("greet") { (_, name: String) in "hello \(name)" }
    let user = root.lock("user", key: String.self)
    let whisper = user.capability("whisper") { (user, word: String) in "\(try user.key): \(word)" }
    let app = try root.open()
    let ada = try app.unlock(user, with: "Ada")
    #expect(try app.call(greet, with: "Ada") == "hello Ada")
    #expect(try ada.call(greet, with: "Ada") == "hello Ada")
    let byRoot = app.lend(greet)
    let byAda = ada.lend(greet)
    let whispers = ada.lend(whisper)
    #expect(try whispers("psst") == "Ada: psst")
    #expect(try byAda("you") == "hello you")
    try ada.close()
    #expect(throws: ScopeError.self) { try whispers("psst") }
    let error = #expect(throws: ScopeError.self) { try byAda("you") }
    #expect(error.map { "\($0)" } == "scope root/user is closed: greet is no longer available")
    #expect(try byRoot("you") == "hello you")
  }

  @Test("a scope of another root is rejected")
  func foreign() throws {
    func declare() -> (Scope<Void, NoParent>, Scope<Int, Scope<Void, NoParent>>) {
      let root = Scope("root")
      return (root, root.lock("user", key: Int.self))
    }
    let (one, _) = declare()
    let (_, other) = declare()
    let thing = other.factory("thing") { _ in 1 }
    let error = #expect(throws: ScopeError.self) { try one.open().unlock(other, with: 1) }
    #expect(
      error.map { "\($0)" } == "\"user\" was not declared in scope root or one of its parents")
    let (root, user) = declare()
    #expect(throws: ScopeError.self) { try root.open().unlock(user, with: 1).make(thing) }
  }
}
