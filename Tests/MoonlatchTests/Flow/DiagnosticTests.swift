import FlowLanguage
import Testing

@Suite struct DiagnosticTests {
  @Test("a diagnostic is described by its place and its message")
  func description() {
    #expect(Diagnostic(file: "a.lua", line: 3, message: "no").description == "a.lua:3: no")
    #expect(Diagnostic(file: "a.lua", line: 0, message: "no").description == "a.lua: no")
  }

  @Test("diagnostics are sorted by file, line and text")
  func sorted() {
    let error = FlowError([
      Diagnostic(file: "b", line: 1, message: "x"), Diagnostic(file: "a", line: 10, message: "x"),
      Diagnostic(file: "a", line: 9, message: "z"), Diagnostic(file: "a", line: 9, message: "y"),
    ])
    #expect(error.description == "a:9: y\na:9: z\na:10: x\nb:1: x")
  }
}
