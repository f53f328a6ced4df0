import StateBlocks
import Testing

@Suite("a scope as seen by a script")
struct ScopeInstanceTests {
  private struct Person: Sendable { let name: String }

  private func declare() -> Scope<Void, NoParent> {
    let root = Scope("root")
    root.factory("images") { _ in "loader" }
    root.capability("greet") { (_, name: String) in "hello \(name)" }
    root.factory("secret", private: true) { _ in "token" }
    let user = root.lock("user", key: Person.self)
    user.factory("profile") { try $0.key.name }
    let message = user.lock("message", key: Int.self)
    message.factory("reader") { "\(try $0.parent.key.name) reads \(try $0.key)" }
    return root
  }

  @Test("makes, calls and unlocks by name")
  func byName() throws {
    let app = try declare().open().any
    let user = try app.unlock("user", with: Person(name: "Ada"))
    let message = try user.unlock("message", with: 7)
    #expect(try app.make("images") as? String == "loader")
    #expect(try app.call("greet", with: "Ada") as? String == "hello Ada")
    #expect(try message.make("reader") as? String == "Ada reads 7")
    #expect(try message.make("profile") as? String == "Ada")
    #expect(try message.key as? Int == 7)
    #expect(message.parent?.parent?.path == "root")
    #expect("\(message)" == "scope root/user/message")
  }

  @Test("a locked scope says which key it needs, for a missing or a wrong one")
  func locked() throws {
    let app = try declare().open().any
    let none = #expect(throws: ScopeError.self) { try app.unlock("user") }
    #expect(
      none.map { "\($0)" }
        == "scope root/user is locked: its lock \"user\" needs a key of type Person")
    let wrong = #expect(throws: ScopeError.self) { try app.unlock("user", with: 5) }
    #expect(
      wrong.map { "\($0)" }
        == "scope root/user is locked: its lock \"user\" needs a key of type Person, not Int")
  }

  @Test("a member of a locked child is not the parent's, and the error names lock and key")
  func behindLock() throws {
    let app = try declare().open().any
    let error = #expect(throws: ScopeError.self) { try app.make("reader") }
    #expect(
      error.map { "\($0)" }
        == "scope root/user/message is locked: its lock \"message\" needs a key of type Int")
  }

  @Test("an unknown name is an error with the nearest, and a wrong kind says what to do")
  func mistakes() throws {
    let app = try declare().open().any
    let error = #expect(throws: ScopeError.self) { try app.make("imagse") }
    #expect(
      error.map { "\($0)" } == "scope root has no member \"imagse\"; did you mean \"images\"?")
    let kind = #expect(throws: ScopeError.self) { try app.call("images") }
    #expect(kind.map { "\($0)" } == "\"images\" of scope root is a factory: `make` it")
    let input = #expect(throws: ScopeError.self) { try app.call("greet", with: 3) }
    #expect(input.map { "\($0)" } == "\"greet\" of scope root takes String, not Int")
    #expect(throws: ScopeError.self) { try app.make("user") }
    #expect(throws: ScopeError.self) { try app.unlock("images") }
    let user = try app.unlock("user", with: Person(name: "Ada"))
    #expect(throws: ScopeError.self) { try user.unlock("user", with: Person(name: "Eve")) }
  }

  @Test("lists the members in reach, its own first, without private ones of the parents")
  func members() throws {
    let app = try declare().open().any
    #expect(app.members.map(\.name) == ["images", "greet", "secret", "user"])
    #expect(
      app.members.map(\.description) == [
        "images: makes String", "greet: takes String, returns String",
        "secret: makes String, private", "user: needs a key of type Person",
      ])
    let user = try app.unlock("user", with: Person(name: "Ada"))
    #expect(user.members.map(\.name) == ["profile", "message", "images", "greet"])
    #expect(user.parent?.members.map(\.name) == ["images", "greet", "user"])
  }

  @Test("narrowing removes members, also of parents, children and lent functions, permanently")
  func only() throws {
    let app = try declare().open().any
    let narrow = try app.only(["user", "greet"])
    #expect(narrow.members.map(\.name) == ["greet", "user"])
    let error = #expect(throws: ScopeError.self) { try narrow.make("images") }
    #expect(
      error.map { "\($0)" }
        == "\"images\" of scope root is not accessible: the lent access is narrowed to greet, user")
    #expect(throws: ScopeError.self) { try narrow.only(["images"]) }
    #expect(throws: ScopeError.self) { try narrow.only(["user"]).call("greet", with: "you") }
    let user = try narrow.unlock("user", with: Person(name: "Ada"))
    #expect(try user.make("profile") as? String == "Ada")
    #expect(try user.call("greet", with: "you") as? String == "hello you")
    #expect(throws: ScopeError.self) { try user.make("images") }
    #expect(throws: ScopeError.self) { try user.parent?.make("images") }
    #expect(throws: ScopeError.self) { try user.only(["profile"]).parent?.call("greet", with: "") }
    #expect(throws: ScopeError.self) { try user.only(["profile"]).unlock("message", with: 1) }
  }

  @Test("a factory of a narrowed instance still has all members of its scope")
  func factories() throws {
    let root = Scope("root")
    let images = root.factory("images") { _ in "loader" }
    let page = root.factory("page") { "page with \(try $0.make(images))" }
    let narrow = try root.open().only("page")
    #expect(try narrow.make(page) == "page with loader")
    #expect(throws: ScopeError.self) { try narrow.make(images) }
    #expect(throws: ScopeError.self) { try narrow.only("images") }
  }

  @Test("a child's member takes precedence over a parent's of the same name")
  func shadowing() throws {
    let root = Scope("root")
    root.factory("title") { _ in "root" }
    let user = root.lock("user", key: Int.self)
    user.factory("title") { _ in "user" }
    let app = try root.open()
    let child = try app.unlock(user, with: 1)
    #expect(try child.any.make("title") as? String == "user")
    #expect(try child.any.parent?.make("title") as? String == "root")
    #expect(child.any.members.map(\.scope) == ["root/user"])
  }
}
