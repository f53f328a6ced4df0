import Testing

@testable import Scenarios

@Suite struct GitHubReportTests {
  @Test("a failure is an annotation of its line, in one line")
  func annotation() {
    var record = Sample.record
    record.name = "a: b, 100%"
    let text = Sample.report(.github, [.ended(record)])
    #expect(
      text.hasPrefix(
        "::error file=a/b.scenario.lua,line=9,title=a%3A b%2C 100%25::| one%0A| two%0A"))
    #expect(text.hasSuffix("\n"))
    #expect(!text.dropLast().contains("\n"))
  }

  @Test("a separator with a combining accent is escaped")
  func accents() {
    let text = Sample.report(
      .github, [.unloadable(file: "a,\u{301}line=1:\u{301}%\u{301}", message: "m\r\nn\ro")])
    #expect(
      text == "::error file=a%2C\u{301}line=1%3A\u{301}%25\u{301},title=could not be loaded::"
        + "m%0An\\ro\n")
  }

  @Test("a file that cannot be loaded is an annotation, and nothing else is")
  func others() {
    #expect(
      Sample.report(.github, [.unloadable(file: "f", message: "m\nn")])
        == "::error file=f,title=could not be loaded::m%0An\n")
    let fine = ScenarioRecord(file: "f", line: 1, name: "n", status: .passed)
    #expect(Sample.report(.github, [.began(RunHeader()), .ended(fine), Sample.end()]).isEmpty)
  }
}
