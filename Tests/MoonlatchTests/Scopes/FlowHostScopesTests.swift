import FlowHosting
import FlowKernel
import Platform
import Testing

@Suite struct HostScopesTests {
  private struct Order: Codable, Sendable {
    var item: String
    var count = 1
    var notes: [String]?
  }
  private enum Size: String, Codable { case small, large }

  private struct Broke: Error, CustomStringConvertible { let description = "it broke" }

  /// Returns the lines that an effect that runs `call` prints, and the errors that it raises.
  private func said(by call: String) async throws -> [String] {
    let lines = Mutex<[String]>([])
    let flow = "state {} action.go {} function effect.go(self) print(\(call)) end"
    let host = try FlowHost(
      source: flow,
      options: HostOptions(
        print: { line in lines.withLock { $0.append(line) } },
        report: { line in lines.withLock { $0.append("\(line)") } })
    ) { scopes in
      scopes.root.provide("none") { "nothing" }
      scopes.root.provide("join") { (a: String, b: Int, c: Bool?, d: [Double]) in
        "\(a) \(b) \(c.map { "\($0)" } ?? "-") \(d)"
      }
      scopes.root.provide("swallow") { (_: Int) in }
      scopes.root.provide("ship", parameters: ["order", "size"]) { (order: Order, size: Size) in
        [Order(item: "\(size.rawValue) \(order.item)", count: order.count * 2, notes: order.notes)]
      }
      scopes.root.provide("many") {
        (a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int, h: Int, i: Int) throws in
        a + b + c + d + e + f + g + h + i
      }
      scopes.root.provide("slow") { (name: String, order: Order?) async in
        await Task.yield()
        return "\(name) \(order?.item ?? "-")"
      }
      scopes.root.provide("slow_break", parameters: ["why"]) { (why: String) async throws in
        await Task.yield()
        throw Broke()
      }
      scopes.root.provide("break") { (_: Int) throws -> Int in throw Broke() }
    }
    try await host.dispatchAndWait("go")
    return lines.withLock { $0 }
  }

  @Test("text that is not UTF-8 is not passed to a capability, and the effect fails with its place")
  func noText() async throws {
    for call in ["self:join(\"x\\xff\", 1, true, {})", "self:slow(\"a\", { item = \"x\\xff\" })"] {
      let told = try await said(by: call).joined()
      #expect(told.contains("strings are UTF-8") && !told.contains("\u{fffd}"), "\(told)")
    }
  }

  @Test("a capability takes the converted arguments of its closure")
  func arity() async throws {
    #expect(try await said(by: "self:none()") == ["nothing"])
    #expect(try await said(by: #"self:join("a", 2, true, { 1, 2 })"#) == ["a 2 true [1.0, 2.0]"])
    #expect(try await said(by: #"self:join("a", 2.0, nil, {})"#) == ["a 2 - []"])
    #expect(try await said(by: "self:swallow(1)") == ["nil"])
    #expect(try await said(by: "self:many(1, 2, 3, 4, 5, 6, 7, 8, 9)") == ["45"])
    #expect(try await said(by: #"self:slow("Ann", { item = "tea", count = 1 })"#) == ["Ann tea"])
    #expect(try await said(by: #"self:slow("Ann")"#) == ["Ann -"])
  }

  @Test(
    "a wrong argument is an error with its position, the expected type and the actual one",
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
      (#"self:slow_break("so")"#, "slow_break: it broke"),
      ("self:slow_break(1)", "slow_break: why (argument 1) must be a string, got 1"),
      ("self:slow(1)", "slow: argument 1 must be a string, got 1"),
      (
        #"self:ship({ item = 5, count = 1 }, "small")"#,
        "ship: order (argument 1) is not of type Order: item: expected a string, got 5"
      ),
      (
        #"self:ship({ item = "tea" }, "small")"#,
        "ship: order (argument 1) is not of type Order: there is no count"
      ),
      (
        #"self:ship({ item = "tea", count = 2 }, "huge")"#,
        "ship: size (argument 2) is not of type Size"
      ),
    ])
  func wrong(call: String, message: String) async throws {
    let said = try await said(by: call)
    #expect(said.first?.contains(message) == true, "\(said)")
  }

  @Test("arguments and results can be any Codable types")
  func codable() async throws {
    let call =
      #"(function() local o = self:ship({ item = "tea", count = 2, notes = { "hot" } }, "large")[1] "#
      + #"return o.item .. " " .. o.count .. " " .. o.notes[1] end)()"#
    #expect(try await said(by: call) == ["large tea 4 hot"])
  }

  @Test("either all parameters are named or none")
  func misnamed() {
    #expect {
      try FlowHost(source: "state {} action.go {}") { scopes in
        scopes.root.provide("pay", parameters: ["cents"]) { (_: Int, _: String) in }
      }
    } throws: {
      "\($0)" == "root.pay takes 2 arguments, and the names of its parameters are 1: cents"
    }
  }

  @Test("a trailing nil counts as no argument")
  func trailing() async throws {
    #expect(try await said(by: "self:none(nil)") == ["nothing"])
  }
}
