import Moonlatch
import Synchronization
import Testing

@Suite struct HostScopesTests {
  private struct Broke: Error, CustomStringConvertible { let description = "it broke" }

  /// What an effect that runs `call` printed or raised.
  private func said(by call: String) throws -> [String] {
    let lines = Mutex<[String]>([])
    let flow = "state {} action.go {} function effect.go(self) print(\(call)) end"
    let host = try Host(
      source: flow,
      options: HostOptions(
        print: { line in lines.withLock { $0.append(line) } },
        report: { line in lines.withLock { $0.append(line) } })
    ) { scopes in
      scopes.root.provide("none") { "nothing" }
      scopes.root.provide("join") { (a: String, b: Int, c: Bool?, d: [Double]) in
        "\(a) \(b) \(c.map { "\($0)" } ?? "-") \(d)"
      }
      scopes.root.provide("swallow") { (_: Int) in }
      scopes.root.provide("break") { (_: Int) throws -> Int in throw Broke() }
    }
    try host.dispatch("go")
    return lines.withLock { $0 }
  }

  @Test("a capability takes as many arguments as its closure, converted")
  func arity() throws {
    #expect(try said(by: "self:none()") == ["nothing"])
    #expect(try said(by: #"self:join("a", 2, true, { 1, 2 })"#) == ["a 2 true [1.0, 2.0]"])
    #expect(try said(by: #"self:join("a", 2.0, nil, {})"#) == ["a 2 - []"])
    #expect(try said(by: "self:swallow(1)") == ["nil"])
  }

  @Test(
    "a wrong argument is an error that names its position, what is wanted and what was found",
    arguments: [
      (#"self:join("a", "b")"#, #"join: argument 2 must be an integer, got "b""#),
      (#"self:join("a", 1, 2)"#, "join: argument 3 must be a boolean or nil, got 2"),
      (
        #"self:join("a", 1, true, { "x" })"#,
        #"join: argument 4 must be a list whose elements are each a number, got { "x" }"#
      ),
      (#"self:join()"#, "join: argument 1 must be a string, got nil"),
      (#"self:none(1)"#, "none: it takes no arguments, and argument 1 is 1"),
      (#"self:swallow(1, "x")"#, #"swallow: it takes one argument, and argument 2 is "x""#),
      (#"self["break"](self, 1)"#, "break: it broke"),
    ])
  func wrong(call: String, message: String) throws {
    let said = try said(by: call)
    #expect(said.first?.contains(message) == true, "\(said)")
  }

  @Test("nil after the last argument counts as none")
  func trailing() throws {
    #expect(try said(by: "self:none(nil)") == ["nothing"])
  }
}
