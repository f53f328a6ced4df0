import Foundation
import Testing

@testable import Scenarios

@Suite struct JUnitReportTests {
  private static let xmllint = "/usr/bin/xmllint"
  private static var schema: String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "junit.xsd").path
  }

  /// Returns the validator's message about the report; nil if the report is valid.
  private func complaint(about xml: String) throws -> String? {
    let folder = try TemporaryFolder()
    let file = try folder.write(xml, to: "report.xml")
    let process = Process()
    process.executableURL = URL(filePath: Self.xmllint)
    process.arguments = ["--noout", "--schema", Self.schema, file.path]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : text
  }

  private func report(_ events: RunEvent...) -> String {
    Sample.report(.junit, [.began(Sample.header)] + events + [Sample.end()])
  }

  @Test("a report with every kind of result is valid")
  func valid() throws {
    var skipped = ScenarioRecord(file: "s", line: 1, name: "later", status: .skipped)
    skipped.reason = "why"
    let xml = report(
      .ended(Sample.record), .ended(skipped), .unloadable(file: "u", message: "one\ntwo"),
      .nothing("n"), .ended(ScenarioRecord(file: "s", line: 2, name: "fine", status: .passed)))
    #expect(try complaint(about: xml) == nil)
    #expect(
      xml.contains("<testsuite name=\"s\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""))
    #expect(xml.contains("<property name=\"shard\" value=\"1/2\"/>"))
    #expect(xml.contains("time=\"1.234567\""))
  }

  @Test("a run with restarts has a property that says so")
  func restarts() throws {
    var header = Sample.header
    header.hasRestarts = true
    let xml = Sample.report(
      .junit,
      [
        .began(header), .ended(ScenarioRecord(file: "s", line: 2, name: "fine", status: .passed)),
        Sample.end(),
      ])
    #expect(try complaint(about: xml) == nil)
    #expect(xml.contains("<property name=\"restarts\" value=\"after every turn\"/>"))
  }

  @Test("an empty run is valid too")
  func empty() throws {
    #expect(try complaint(about: report()) == nil)
  }

  @Test("a report is valid whatever a script prints, names or raises")
  func anyBytes() throws {
    let scalars = (0...0x2ff).compactMap(Unicode.Scalar.init).map(Character.init)
    let nasty = String(scalars) + "]]>\u{fffe}\u{ffff}\u{1f600}\u{1b}[31mred\u{1b}[0m\u{1b}"
    var record = Sample.record
    record.name = nasty
    record.file = nasty
    record.printed = [nasty]
    record.problem?.message = nasty
    record.problem?.kind = nasty
    record.steps[0].payload = nasty
    #expect(
      try complaint(about: report(.ended(record), .unloadable(file: nasty, message: nasty))) == nil)
  }

  @Test("invalid UTF-8 that a real script prints is written as a valid report")
  func printed() throws {
    let played = try Played(
      "scenario(\"a\", function() print(\"\\xff\\xc0\\0\\27[1m\\xed\\xa0\\x80\") pass.mute() end)")
    #expect(try complaint(about: report(played.events[0])) == nil)
  }

  @Test("the validator detects errors")
  func invalid() throws {
    let xml = report(.ended(Sample.record))
    #expect(
      try complaint(about: xml.replacing("<testcase", with: "<testcase odd=\"1\"")) != nil)
  }
}
