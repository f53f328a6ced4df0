import FlowCases
import FlowKernel
import Foundation
import LuaRuntime
import Testing

/// Random expressions, compared with their results in Node.js.
///
/// `Tests/Corpus/ecmascript/node-20.txt` has 800 of seed 11; `scripts/fuzz ecmascript` draws others
/// and names their file in `MOONLATCH_ECMASCRIPT`.
@Suite struct ECMAScriptComparisonTests {
  private struct Case: Sendable {
    let expression: String
    let value: String
  }

  private static let variables = """
    <data id="n" expr="7"/><data id="x" expr="2.5"/><data id="s" expr="'hello'"/><data id="t" expr="''"/>\
    <data id="b" expr="true"/><data id="l" expr="[1, 2, 3]"/><data id="o" expr="{ a: 1, z: 'q' }"/>
    """

  private static func cases() throws -> [Case] {
    let recorded = URL(filePath: #filePath).appending(
      path: "../../../Corpus/ecmascript/node-20.txt"
    )
    .standardized
    let drawn = ProcessInfo.processInfo.environment["MOONLATCH_ECMASCRIPT"]
    let text = try String(contentsOf: drawn.map { URL(filePath: $0) } ?? recorded, encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      let value = try JSONDecoder().decode(String.self, from: Data(parts[1].utf8))
      return Case(expression: String(parts[0]), value: value)
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  @Test("an expression has its ECMAScript value, or is rejected")
  func compared() throws {
    let cases = try Self.cases()
    var equal = 0
    for start in stride(from: 0, to: cases.count, by: 100) {
      let some = cases[start..<min(start + 100, cases.count)]
      let data = some.enumerated().map {
        "<data id=\"v\($0.offset)\" expr=\"\(Self.escaped($0.element.expression))\"/>"
      }
      let body = "<datamodel>\(Self.variables)\(data.joined())</datamodel><state id=\"s\"/>"
      let trial = try Trial(DocumentTests.text(body, model: "ecmascript"), name: "x.scxml")
      for (number, one) in some.enumerated() {
        // Refused with error.execution, a variable has no value.
        guard let found = try trial.state("v\(number)").stringValue else { continue }
        equal += 1
        #expect(found == one.value, "\(one.expression)")
      }
    }
    #expect(equal * 10 > cases.count * 8, "\(equal) of \(cases.count)")
  }

  @Test(
    "numbers, strings and their members behave as in ECMAScript",
    arguments: [
      ("+'5' + 1", 6), ("'' + 1/3", "0.3333333333333333"),
      ("'' + (0.1 + 0.2)", "0.30000000000000004"),
      ("'' + 1/0", "Infinity"), ("'' + 0.000001", "0.000001"),
      ("'' + 1e20", "100000000000000000000"),
      ("9223372036854775807 + 1 == 9223372036854775808", true), ("'abc'[1]", "b"),
      ("9007199254740993", 9_007_199_254_740_992), ("6 / 2", 3), ("'5' * '2'", 10),
      ("1 == '1'", true),
      ("1 === '1'", false), ("typeof null", "object"), ("[1, 2] + ''", "1,2"), ("-7 % 3", -1),
      ("'a-b-c'.split('-').join('+').toUpperCase()", "A+B+C"), ("2.345.toFixed(2)", "2.35"),
      ("0.5.toFixed(0)", "1"),
      ("JSON.stringify({ a: [1, 'x'], b: true })", "{\"a\":[1,\"x\"],\"b\":true}"),
      ("JSON.parse('{\"a\":[1,2.5,{\"b\":\"\\u0041\"}]}').a[2].b", "A"),
      ("Math.max(1, 7, 3) + Math.PI > 10", true),
      ("parseInt('42px', 10)", 42),
    ] as [(String, Value)])
  func single(expression: String, value: Value) throws {
    let body =
      "<datamodel><data id=\"v\" expr=\"\(Self.escaped(expression))\"/></datamodel><state id=\"s\"/>"
    let trial = try Trial(DocumentTests.text(body, model: "ecmascript"), name: "x.scxml")
    #expect(try trial.state("v") == value, "\(expression)")
  }

  @Test("scripts can change arrays with push, pop, shift and unshift")
  func changes() throws {
    let body = """
      <script>var a = [2]; a.push(3, 4); a.unshift(1); a.pop()
      a.push(9); a.shift()</script><state id="s"/>
      """
    let trial = try Trial(DocumentTests.text(body, model: "ecmascript"), name: "x.scxml")
    try trial.advance(1)
    #expect(try trial.state("a") == [2, 3, 9])
  }

  @Test("an empty condition is an error that suggests leaving the attribute out")
  func empty() throws {
    for model in ["lua", "ecmascript"] {
      let body = "<state id=\"s\"><transition event=\"e\" cond=\"\" target=\"pass\"/></state>"
      let loaded = try LoadedFlow(source: DocumentTests.text(body, model: model), name: "x.scxml")
      let warnings = loaded.flow.document?.warnings.map(\.message) ?? []
      #expect(
        warnings.contains {
          $0.contains("the condition is empty: leave the attribute out")
        }, "\(warnings)")
    }
  }
}
