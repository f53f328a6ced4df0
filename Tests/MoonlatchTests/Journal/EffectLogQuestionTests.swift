import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// Recorded calls of effects, and how they are compared.
@Suite struct EffectLogQuestionTests {
  private func question(
    _ kind: EffectLog.Question.Kind, _ name: String, _ arguments: [Value]
  ) -> EffectLog.Question {
    EffectLog.Question(kind, name, arguments) { $0.text(limit: 8) }
  }

  @Test("calls of different kinds, names or arguments differ, however long the arguments are")
  func equality() {
    let long = String(repeating: "x", count: 5_000)
    #expect(question(.call, "root.a", [1]) == question(.call, "root.a", [1]))
    #expect(question(.call, "root.a", [1]) != question(.call, "root.a", [2]))
    #expect(question(.call, "root.a", [1]) != question(.call, "root.a", [1.0]))
    #expect(question(.call, "root.a", [1]) != question(.call, "root.b", [1]))
    #expect(question(.dispatch, "a", []) != question(.may, "a", []))
    #expect(question(.call, "a\u{e9}", []) != question(.call, "ae\u{301}", []))
    #expect(
      question(.call, "a", [.string(long)]) == question(.call, "a", [.string(long)]))
    #expect(
      question(.call, "a", [.string(long + "a")]) != question(.call, "a", [.string(long + "b")]))
  }

  @Test("arguments with the same FNV-1a hash differ")
  func colliding() {
    #expect(
      question(.call, "root.a", [#"m)*m'f:7;x1}"#]) != question(.call, "root.a", [#"l?(W+d87;u`N"#])
    )
  }

  @Test("the record of a call with long arguments is short and printable")
  func long() throws {
    let asked = question(.call, "a", [.string(String(repeating: "x", count: 500_000)), 7])
    var writer = ValueWriter()
    asked.write(to: &writer)
    #expect(writer.bytes.count < 200)
    let read = try writer.bytes.withUnsafeBytes { buffer in
      var reader = ValueReader(buffer)
      return try EffectLog.Question(from: &reader)
    }
    #expect(read == asked)
    #expect(read.texts { _ in "" }.first?.hasSuffix(", 7") == true)
  }

  @Test("an action's new name is found through all migrations in sequence")
  func names() {
    let names = ActionNames([
      Migration(function: nil, actions: ["a": "b", "x": "y"]), Migration(),
      Migration(function: nil, actions: ["b": "c", "y": "x"]),
    ])
    #expect(names["a"] == "c" && names["x"] == "x" && names["b"] == "c" && names["z"] == "z")
    #expect(question(.after, "a", [1]).renaming(names) == question(.after, "c", [1]))
    #expect(question(.call, "a", [1]).renaming(names) == question(.call, "a", [1]))
  }
}
