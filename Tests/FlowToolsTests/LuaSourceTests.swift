import LuaRuntime
import Testing

@testable import FlowTools

/// Reads and writes in Lua source, found without running it.
@Suite struct LuaSourceTests {
  private func accesses(_ text: String, to root: String) -> [LuaAccess] {
    LuaSource(name: "a.lua", text: text).accesses.filter { $0.root == root }
  }

  @Test("fields after a dot and in brackets with quotes are the same")
  func fields() {
    let found = accesses("return s.a['b'].c:upper()", to: "s")
    #expect(found.count == 1)
    #expect(found.first?.steps == [.field("a"), .field("b"), .field("c"), .method("upper")])
    #expect(found.first?.use == .read)
    #expect(accesses("return s[i].b", to: "s").first?.steps == [.computed, .field("b")])
    #expect(accesses("return s[i].b", to: "i").count == 1)
  }

  @Test("all targets left of an equals sign are written")
  func writing() {
    let found = accesses("s.a, s.b = s.c, s.d\nlocal t = { s.e, x = 1 }\nf(s.g, s.h)", to: "s")
    #expect(found.filter { $0.use == .written }.map(\.fields) == [["a"], ["b"]])
    #expect(found.filter { $0.use == .read }.map { $0.fields[0] } == ["c", "d", "e", "g", "h"])
    #expect(accesses("if s.a == 1 then return end", to: "s").first?.use == .read)
  }

  @Test("assigning nil clears a field, unless the expression may have another value")
  func clearing() {
    #expect(accesses("s.a = nil", to: "s").first?.use == .cleared)
    #expect(
      accesses("s.a, s.b = nil, none\ns.c = 1", to: "s").map(\.use) == [
        .cleared, .cleared, .written,
      ])
    #expect(accesses("s.a = nil or 5", to: "s").first?.use == .written)
    #expect(accesses("s.a = nil, 5", to: "s").first?.use == .written)
  }

  @Test("functions have names, parameters and their contents")
  func functions() {
    let source = LuaSource(
      name: "a.lua",
      text: """
        local function one(s) return s.a end
        function reduce.two(s, a)
          if s.b then for _ in pairs(s.c) do end end
          repeat local three = function(x, ...) return s.d end until s.e
        end
        s.f = 1
        """)
    #expect(source.functions.map(\.name) == ["one", "two", "three"])
    #expect(source.functions.map(\.parameters) == [["s"], ["s", "a"], ["x"]])
    #expect(source.functions.map(\.line) == [1, 2, 4])
    let inside = source.accesses.filter { $0.root == "s" }.map { source.functions(around: $0) }
    #expect(inside == [[0], [1], [1], [2, 1], [1], []])
  }

  @Test("the arguments of a call are separated, whatever they contain")
  func arguments() throws {
    let source = LuaSource(
      name: "a.lua", text: "after(f(1, 2), \"retry\", { a = 1, b = 2 }) dispatch \"x\" g() h")
    func count(_ root: String) throws -> Int? {
      source.arguments(of: try #require(source.accesses.first { $0.root == root }))?.count
    }
    #expect(try count("after") == 3)
    #expect(try count("dispatch") == 1)
    #expect(try count("g") == 0)
    #expect(try count("h") == nil)
    let after = try #require(source.accesses.first { $0.root == "after" })
    #expect(source.literal(source.arguments(of: after)?[1]) == "retry")
    #expect(source.literal(source.arguments(of: after)?[0]) == nil)
  }

  @Test("unbalanced brackets and ends are parsed without failure")
  func unbalanced() {
    for text in [
      "f(a, (b", "end end )", "function", "function f(", "function f(a", "local", "x = {",
      "a.b[c", "a.", "a:", "for", "s.x, s.y",
    ] {
      let source = LuaSource(name: "a.lua", text: text)
      for access in source.accesses { _ = source.arguments(of: access) }
      #expect(LuaLexer(text).tokens.count == source.tokens.count)
    }
  }

  @Test(
    "unfinished source is parsed to its end without a crash",
    arguments: ["\"abc", "'a\\", "[[ab", "--[[ab", "[==", "a[", "\\", "", "#!x", "1e+"])
  func unfinished(text: String) {
    #expect(LuaSource(name: "a.lua", text: text).tokens.count <= text.utf8.count)
  }
}
