import Foundation
import Platform
import Testing

@testable import MoonlatchCLI

@Suite struct SessionTests {
  /// The output of the session.
  private final class RecordedLines: Sendable {
    private let kept = Mutex<[String]>([])
    func add(_ line: String) { kept.withLock { $0.append(line) } }
    var lines: [String] { kept.withLock { $0 } }
  }

  private let folder: TemporaryFolder
  private let told = RecordedLines()

  init() throws { folder = try TemporaryFolder() }

  private func session(_ flow: String = turnstile) throws -> Session {
    try folder.write(flow, to: "flow.lua")
    let told = told
    return try Session(
      flow: folder.url.appending(path: "flow.lua"), name: "sub/flow.lua",
      output: { told.add($0) })
  }

  @Test("a session is named after the flow's file")
  func name() throws {
    let session = try session()
    #expect(session.name == "flow")
    #expect(session.revision == 0)
    #expect(session.actionNames == ["coin", "push"])
  }

  @Test(
    "values are shown as Lua writes them",
    arguments: [
      ("1 + 1", "2"), ("2 / 1", "2.0"), ("\"a\\nb\"", "\"a\\nb\""), ("nil", "nil"),
      ("none", "none"),
      ("{}", "{}"), ("{ 1, { 2 } }", "{ 1, { 2 } }"),
      ("{ b = 1, a = true }", "{ a = true, b = 1 }"),
      ("{ [\"a b\"] = 1, [7] = 2 }", "{ [7] = 2, [\"a b\"] = 1 }"), ("1, nil, 2", "1\tnil\t2"),
      ("s", "{ coins = 0, locked = true }"), ("return 5", "5"), ("local x = 1", ""), ("-- hi", ""),
      ("#\"abc\"", "3"), ("x = 3", ""),
    ])
  func values(text: String, shown: String) throws {
    #expect(try session().evaluate(text) == .value(shown))
  }

  @Test("a deep, a wide and a cyclic table are shown in part")
  func bounded() throws {
    let session = try session()
    guard
      case .value(let wide) = session.evaluate(
        "(function() local t = {} for n = 1, 1000 do t[n] = n end return t end)()"),
      case .value(let deep) = session.evaluate(
        "(function() local t = {} for n = 1, 50 do t = { t } end return t end)()"),
      case .value(let round) = session.evaluate("(function() local t = {} t.t = t return t end)()"),
      case .value(let odd) = session.evaluate("{ [{}] = 1 }")
    else {
      Issue.record("a table was not shown")
      return
    }
    #expect(wide.contains("--[[ and 960 more ]]"))
    #expect(deep.contains("--[[ deeper ]]"))
    #expect(round.contains("--[[ deeper ]]"))
    #expect(odd.contains("no order"))
  }

  @Test("the last value is _, and globals of the session persist")
  func remembers() throws {
    let session = try session()
    #expect(session.evaluate("6 * 7") == .value("42"))
    #expect(session.evaluate("answer = _") == .value(""))
    #expect(session.evaluate("answer") == .value("42"))
    #expect(session.evaluate("function double(n) return n * 2 end") == .value(""))
    #expect(session.evaluate("double(answer)") == .value("84"))
  }

  @Test("an action can be dispatched in four ways")
  func dispatches() throws {
    let session = try session()
    for text in [
      "coin { amount = 1 }", "pass.coin { amount = 1 }", "dispatch(\"coin\", { amount = 1 })",
      "pass[\"coin\"] { amount = 1 }",
    ] {
      #expect(session.evaluate(text) == .value(""))
    }
    #expect(session.revision == 4)
    #expect(told.lines.filter { $0.hasSuffix("coin") } == (1...4).map { "#\($0) coin" })
  }

  @Test("an action does not shadow a base function, and pass can dispatch it")
  func noShadow() throws {
    let session = try session("state { n = 0 }\naction.print {}\naction.next {}")
    #expect(session.evaluate("print(1)") == .value(""))
    #expect(session.evaluate("pass.next()") == .value(""))
    #expect(told.lines == ["| 1", "#1 next"])
  }

  @Test("a function is shown with the place where it is written, if it has one")
  func functions() throws {
    let session = try session()
    #expect(session.evaluate("(function() end)") == .value("function (prompt:1)"))
    #expect(session.evaluate("{ f = print }") == .value("{ f = function }"))
  }

  @Test("a local that a declared function changes is a warning, given once")
  func changedLocals() throws {
    let session = try session(
      "state { n = 0 }\naction.a {}\nlocal count = 0\n"
        + "function reduce.a(s) count = count + 1 s.n = count end")
    _ = session.evaluate("a()")
    _ = session.evaluate("a()")
    #expect(
      told.lines.filter { $0.hasPrefix("warning: ") } == [
        "warning: sub/flow.lua:4: reduce.a changes the local count; data belongs in the state"
      ])
  }

  @Test("commits are reported even if the line ends in an error")
  func passedBeforeError() throws {
    let session = try session()
    #expect(session.evaluate("coin { amount = 1 } error(\"no\")") == .error("prompt:1: no"))
    #expect(
      told.lines == [
        "#1 coin", "  coins: 0 -> 1", "  locked: true -> false", "  view takings: 0 -> 1",
      ])
  }

  @Test("a refusal is a result, and a failure is an error of the line")
  func refusals() throws {
    let session = try session(
      "state { n = 0 }\naction.a {}\naction.b {}\nfunction gate.a() return false end\n"
        + "function gate.b() end")
    #expect(session.evaluate("a()") == .value(""))
    #expect(told.lines == ["gate a gave no reason (sub/flow.lua:4)"])
    #expect(
      session.evaluate("b()")
        == .error(
          """
          sub/flow.lua:5: gate b returned nothing; end it with "return true"
                4 | function gate.a() return false end
              > 5 | function gate.b() end
          """))
  }

  @Test("an error in the flow shows its traceback")
  func flowError() throws {
    let session = try session(
      "state { n = 0 }\naction.a {}\nlocal function deep(s) return s.n.x end\n"
        + "function reduce.a(s) deep(s) end")
    #expect(
      session.evaluate("a()")
        == .error(
          """
          sub/flow.lua:3: attempt to index a number value (field 'n')
                2 | action.a {}
              > 3 | local function deep(s) return s.n.x end
                4 | function reduce.a(s) deep(s) end
              sub/flow.lua:3: in upvalue 'deep'
              sub/flow.lua:4: in function 'reduce.a'
          """))
  }

  @Test(
    "input that a further line could complete is incomplete",
    arguments: ["coin {", "function f(", "for n = 1, 2 do", "x =", "if s.locked then", "[[ long"])
  func incomplete(text: String) throws {
    #expect(try session().evaluate(text) == .incomplete)
  }

  @Test("errors have the line of the input")
  func lines() throws {
    let session = try session()
    #expect(session.evaluate("error(\"a\")", line: 7) == .error("prompt:7: a"))
    #expect(session.evaluate("x =\n)", line: 7) == .error("prompt:8: unexpected symbol near ')'"))
  }

  @Test("a line can use only what a script can")
  func sandbox() throws {
    let session = try session()
    for name in ["io", "os", "debug", "host", "load"] {
      guard case .error(let message) = session.evaluate("\(name).x") else {
        Issue.record("\(name) is there")
        continue
      }
      #expect(message.hasPrefix("prompt:1: global \(name) is not defined"))
    }
  }
}
