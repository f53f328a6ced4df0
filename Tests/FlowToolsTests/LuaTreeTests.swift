import Foundation
import LuaRuntime
import Testing

@testable import FlowTools

/// The Lua parser, compared with liblua.
@Suite struct LuaTreeTests {
  private static func isOurs(_ text: String) -> Bool { (try? LuaTree(text)) != nil }

  private static func isLua(_ text: String, in vm: LuaVM) -> Bool {
    guard let function = try? vm.load(Array(text.utf8), name: "text") else { return false }
    vm.release(function)
    return true
  }

  /// The texts of which the two say different things.
  private static func differences(_ texts: some Sequence<String>) throws -> [String] {
    let vm = try LuaVM(memoryLimit: 0)
    return texts.filter { isOurs($0) != isLua($0, in: vm) }.map {
      "\($0.utf8.count) bytes, \(isOurs($0) ? "ours" : "Lua") alone: \($0.prefix(40))"
    }
  }

  static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func files(_ folder: String, _ suffix: String) -> [String] {
    let url = root.appending(path: folder)
    let names = FileManager.default.enumerator(atPath: url.path)?.allObjects as? [String] ?? []
    return names.sorted().filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }.compactMap {
      try? String(contentsOf: url.appending(path: $0), encoding: .utf8)
    }
  }

  /// Every Lua file of the repository, and every sample of the documentation.
  static let corpus: [String] = {
    var texts = ["Sources", "Tests", "examples", "scripts"].flatMap { files($0, ".lua") }
    for page in ["Sources", "examples"].flatMap({ files($0, ".md") }) {
      let parts = page.components(separatedBy: "```lua\n").dropFirst()
      texts += parts.map { $0.components(separatedBy: "```")[0] }
    }
    return texts
  }()

  @Test("every Lua file and documentation sample is parsed like liblua does")
  func corpus() throws {
    #expect(LuaTreeTests.corpus.count > 300)
    let found = try LuaTreeTests.differences(LuaTreeTests.corpus)
    #expect(found == [])
  }

  @Test(
    "edge cases of tokens are decided as liblua does",
    arguments: [
      "return 0x", "return 0xA.8p+1", "return 1..2", "return 1 ..2", "return 3and 4", "return 1e",
      "return 0xep1", "return 0xe+1", "return .5e-3", "return 5.", "return 08", "return 1_0",
      "return '\\x4'", "return '\\x41\\065\\z\n  b'", "return '\\300'", "return '\\q'",
      "return 'a\nb'",
      "return 'a\\\nb'", "return '\\u{7FFFFFFF}'", "return '\\u{80000000}'", "return '\\u{}'",
      "return '\\u{41'", "return '\\u41'", "return [==[ ]=] ]==]", "return [==[ ]=]", "return [= [",
      "return a[[[b]]]", "--[==[ \n ]==] return", "--[[", "--[=x", "#!x\nreturn 1", "return '\\",
      "return \"a'", "x = @", "x = ~1 ~ 2", "x = 1 ~= 2", "x = !1", "a.b:c'x'.d{}[1] = 2",
      "return '\u{0}'", "\u{FEFF}return 1", "return 1\r\nreturn 2", "x = 'a\rb'", "x = é", "-- é",
    ])
  func words(text: String) throws {
    #expect(try LuaTreeTests.differences([text]) == [])
  }

  @Test(
    "edge cases of statements are decided as liblua does",
    arguments: [
      "break", "while true do break end", "while true do local function f() break end end",
      "goto a", "goto a ::a::", "goto a local x ::a::", "goto a local x ::a:: ;", "::a:: ::a::",
      "do ::a:: end ::a::", "::a:: do ::a:: end", "goto a do ::a:: end", "do goto a end ::a::",
      "do goto a end local x ::a:: x = 1", "repeat goto a local x ::a:: until x",
      "repeat local x goto a ::a:: until x", "::a:: goto a", "goto a; ::b:: ::a::",
      "local function f() goto a end ::a::", "for i = 1, 2 do goto c local x ::c:: end",
      "goto = 1", "local x <const> = 1 x = 2", "local x <const> = 1; return function() x = 2 end",
      "local x <close> = nil", "local x <close>, y <close>", "local x <foo> = 1", "local x <const>",
      "local f <const> = 1 function f() end", "local f <const> = {} function f.a() end",
      "for i = 1, 2 do i = 3 end", "for k in x do k = 1 end", "for i = 1 do end",
      "for i, j = 1, 2 do end",
      "for a.b in x do end", "return ...", "function f() return ... end",
      "function f(...) return ... end",
      "function f(..., a) end", "function f(a,) end", "function a.b:c.d() end",
      "function a:b() end",
      "local function a.b() end", "f()", "f", "(f)", "(f())", "(f)()", "f().x = 1", "f() = 1",
      "(x) = 1",
      "x, (y) = 1", "x, f() = 1", "x, y.z[1] = 1", "a = b = c", "return return", "return 1; return",
      "return 1;;", "do return end return", "if x then elseif y then else end",
      "if x then else elseif y then end",
      "local a, b, = 1", "x = {1, 2; 3, a = 1, [1] = 2,}", "x = {,}", "x = {;}", "x = {a.b = 1}",
      "x = {[1]}", "f{} {} '' [[a]] ()", "f\n()", "a:b", "a:b = 1", "x = a:b",
      "x = function() end()",
      "x = (function() end)()", "x = -2 ^ -3 ^ -not #x", "x = 1 < 2 < 3", "x = a and or b",
      "x = not",
      "local _ENV = {} x = 1", "local function f() return f end", "local x = x", ";;;",
      "::a::;::b::",
      "while x do", "end", "until x", "repeat until x", "x = 'a' 'b'", "'a':b()", "('a'):b()", "",
      "local x <const>, y = 1, 2 y = 3", "a.1 = 2", "a.end = 1", "a['end'] = 1", "nil = 1",
      "x.y:z{}.w = 1",
      "goto continue ::continue::", "do break end", "repeat break until x", "f(1,)", "f(,1)",
      "x = (1, 2)",
    ])
  func statements(text: String) throws {
    #expect(try LuaTreeTests.differences([text]) == [])
  }

  @Test("limits are liblua's: locals, upvalues, and nesting depth")
  func limits() throws {
    var texts: [String] = []
    func names(_ count: Int) -> [String] { (0..<count).map { "v\($0)" } }
    for count in 195...202 {
      texts.append("local " + names(count).joined(separator: ","))
      texts.append("for i = 1, 2 do local " + names(count - 4).joined(separator: ",") + " end")
      texts.append("for k in x do local " + names(count - 5).joined(separator: ",") + " end")
      texts.append("local function f(" + names(count).joined(separator: ",") + ") end")
    }
    for count in 185...202 {
      for (open, close) in [
        ("(", ")"), ("{", "}"), ("-", ""), ("f(", ")"), ("a..", ""), ("1^", ""),
        ("function() return ", " end"), ("a[", "]"), ("not ", ""),
      ] {
        texts.append(
          "return " + String(repeating: open, count: count) + "1"
            + String(repeating: close, count: count))
      }
      texts.append(String(repeating: "do ", count: count) + String(repeating: " end", count: count))
      texts.append(
        String(repeating: "if x then ", count: count) + String(repeating: " end", count: count))
      texts.append((0..<count).map { "::l\($0)::" }.joined())
      texts.append((0..<count).map { "x\($0)" }.joined(separator: ",") + " = 1")
      texts.append("x = 1" + String(repeating: " + 1", count: count))
      texts.append("x = f" + String(repeating: "()", count: count))
    }
    for count in 253...257 {
      let half = count / 2
      let outer = "local " + (0..<half).map { "a\($0)" }.joined(separator: ",")
      let inner = "local " + (half..<count).map { "a\($0)" }.joined(separator: ",")
      let uses = (0..<count).map { "a\($0) = 1" }.joined(separator: " ")
      texts.append("\(outer) function f() \(inner) local function g() \(uses) end end")
      texts.append("\(outer) function f() \(inner) local function g() \(uses) x = 1 end end")
    }
    let found = try LuaTreeTests.differences(texts)
    #expect(found == [])
  }

  @Test("source of any length and depth is parsed without a crash")
  func long() {
    for unit in [
      "(", "{", "do ", "f(", "-", "a.b", "a..", "::a::", "if x then ", "function() ", "[[",
    ] {
      _ = LuaTreeTests.isOurs("x = " + String(repeating: unit, count: 20_000))
    }
    #expect(LuaTreeTests.isOurs("x = 1" + String(repeating: " + 1", count: 50_000)))
    #expect(LuaTreeTests.isOurs("x = a" + String(repeating: ".b", count: 50_000)))
  }

  /// A small generator, so that a seed tells the texts.
  private struct Dice {
    var state: UInt64
    mutating func roll(_ sides: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(sides))
    }
  }

  @Test("mutated source is accepted or rejected like liblua does", arguments: 1...4)
  func mutations(seed: Int) throws {
    let vm = try LuaVM(memoryLimit: 0)
    var dice = Dice(state: UInt64(seed))
    let files = LuaTreeTests.corpus.filter { $0.utf8.count < 3_000 }
    var differing: [String] = []
    for _ in 0..<1_000 {
      var words = LuaTreeTests.pieces(files[dice.roll(files.count)])
      guard words.count > 2 else { continue }
      for _ in 0...dice.roll(2) {
        let (one, other) = (dice.roll(words.count), dice.roll(words.count))
        switch dice.roll(4) {
        case 0: words[one] = ""
        case 1: words[one] += " " + words[one]
        case 2: words.swapAt(one, other)
        default: words[one] = words[other]
        }
      }
      let text = words.joined(separator: " ")
      if LuaTreeTests.isOurs(text) != LuaTreeTests.isLua(text, in: vm) { differing.append(text) }
    }
    #expect(differing == [])
  }

  /// The text cut between its words.
  private static func pieces(_ text: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.flatMap { line in
      line.split(separator: " ").flatMap { part -> [String] in
        var pieces: [String] = []
        for character in part {
          let isWord = character.isLetter || character.isNumber || character == "_"
          if isWord, let last = pieces.last?.last, last.isLetter || last.isNumber || last == "_" {
            pieces[pieces.count - 1].append(character)
          } else {
            pieces.append(String(character))
          }
        }
        return pieces
      } + ["\n"]
    }
  }
}
