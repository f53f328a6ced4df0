import StateBlocks
import Testing

@Suite("closing a scope")
struct ScopeCloseTests {
  private let root = Scope("root")
  private let user: Scope<Int, Scope<Void, NoParent>>
  private let name: Factory<Scope<Int, Scope<Void, NoParent>>, String>

  init() {
    user = root.lock("user", key: Int.self)
    name = user.factory("name") { "user \(try $0.key)" }
  }

  @Test("children close first, the newest first, and clean-ups run last in, first out")
  func order() throws {
    let log = Log<String>()
    let app = try root.open()
    let children = try (1...3).map { try app.unlock(user, with: $0) }
    try app.defer { log.append("app 1") }
    for (index, child) in children.enumerated() {
      try child.defer { log.append("child \(index) first") }
      try child.defer { log.append("child \(index) second") }
    }
    try app.defer { log.append("app 2") }
    #expect(try app.close())
    #expect(
      log.all == [
        "child 2 second", "child 2 first", "child 1 second", "child 1 first", "child 0 second",
        "child 0 first", "app 2", "app 1",
      ])
    #expect(children.map(\.isClosed) == [true, true, true])
  }

  @Test("clean-ups that throw do not prevent the others, and all errors are reported")
  func throwing() throws {
    let log = Log<String>()
    let app = try root.open()
    let child = try app.unlock(user, with: 1)
    try app.defer { log.append("a") }
    try app.defer { throw Oops("second") }
    try app.defer { log.append("c") }
    try child.defer { throw Oops("first") }
    let error = #expect(throws: ScopeError.self) { try app.close() }
    #expect(
      error.map { "\($0)" } == "scope root is closed, but cleaning up failed: first; second")
    #expect(log.all == ["c", "a"])
    #expect(app.isClosed && child.isClosed)
  }

  @Test("closing twice returns false, also inside a clean-up")
  func twice() throws {
    let app = try root.open()
    let answers = Log<Bool>()
    try app.defer { answers.append(try app.close()) }
    answers.append(try app.close())
    answers.append(try app.close())
    #expect(answers.all == [false, true, false])
  }

  @Test("members work while clean-ups run, but nothing new can be opened or deferred")
  func closing() throws {
    let log = Log<String>()
    let app = try root.open()
    let child = try app.unlock(user, with: 7)
    try child.defer { [name] in log.append(try child.make(name)) }
    try child.defer {
      do { try child.defer {} } catch { log.append("\(error)") }
    }
    try app.defer { [user] in
      do { _ = try app.unlock(user, with: 8) } catch { log.append("\(error)") }
    }
    try app.close(because: "the end")
    #expect(
      log.all == [
        "scope root/user is closed (since the end): defer is no longer available", "user 7",
        "scope root is closed (since the end): user is no longer available",
      ])
  }

  @Test("every member of a closed scope throws, also captured closures, and the parent stays open")
  func revoked() throws {
    let app = try root.open()
    let child = try app.unlock(user, with: 1)
    let captured = { [name] in try child.make(name) }
    let lent = child.lend { (number: Int) in number + 1 }
    let narrowed = try child.only("name")
    #expect(try captured() == "user 1")
    #expect(try lent(1) == 2)
    try child.close()
    #expect(throws: ScopeError.self) { try captured() }
    #expect(throws: ScopeError.self) { try lent(1) }
    #expect(throws: ScopeError.self) { try narrowed.make(name) }
    #expect(throws: ScopeError.self) { try child.key }
    #expect(throws: ScopeError.self) { try child.defer {} }
    #expect(throws: ScopeError.self) { try child.only("name") }
    #expect(throws: ScopeError.self) { try child.any.make("name") }
    #expect(throws: ScopeError.self) { try child.any.key }
    #expect(child.parent.isClosed == false)
    #expect(try app.unlock(user, with: 2).make(name) == "user 2")
  }

  @Test("an asynchronous function of a scope returns no result once the scope is closed")
  func asynchronous() async throws {
    let app = try root.open()
    let child = try app.unlock(user, with: 1)
    let slow = child.lend { (number: Int) async throws -> Int in
      await Task.yield()
      if number == 0 { try child.close(because: "log_out") }
      return number
    }
    #expect(try await slow(5) == 5)
    await #expect(throws: ScopeError.self) { try await slow(0) }
    await #expect(throws: ScopeError.self) { try await slow(5) }
  }

  @Test("a released instance closes itself, after its children")
  func released() throws {
    let log = Log<String>()
    let reports = Log<String>()
    do {
      let app = try root.open(report: { reports.append($0.description) })
      try app.defer { log.append("app") }
      do {
        let child = try app.unlock(user, with: 1)
        try child.defer { log.append("child") }
        try child.defer { throw Oops() }
      }
      #expect(log.all == ["child"])
    }
    #expect(log.all == ["child", "app"])
    #expect(reports.all == ["scope root/user is closed, but cleaning up failed: oops"])
  }

  @Test("a child, or a function of a scope, keeps its parents open")
  func kept() throws {
    let log = Log<String>()
    var lent: (@Sendable (Int) throws -> Int)?
    do {
      let app = try root.open()
      try app.defer { log.append("closed") }
      let child = try app.unlock(user, with: 1)
      lent = child.lend { (number: Int) in number }
    }
    #expect(log.all == [])
    #expect(try lent?(3) == 3)
    lent = nil
    #expect(log.all == ["closed"])
  }

  @Test("concurrent opening, use and closing runs every clean-up once")
  func threads() throws {
    for _ in 0..<20 {
      let app = try root.open()
      let opened = Log<Int>()
      let cleaned = Log<Int>()
      try onThreads(4) { [user, name] index in
        do {
          for step in 0..<50 {
            if index == 0 && step == 25 {
              try app.close()
              return
            }
            let number = index * 100 + step
            let child = try app.unlock(user, with: number)
            try child.defer { cleaned.append(number) }
            opened.append(number)
            _ = try child.make(name)
            try child.close()
          }
        } catch ScopeError.closed {
          return
        }
      }
      #expect(cleaned.all.sorted() == opened.all.sorted())
    }
  }
}
