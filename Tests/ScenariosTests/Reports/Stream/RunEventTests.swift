import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct RunEventTests {
  private func again(_ event: RunEvent) throws -> RunEvent? {
    let line = EventStream.line(event)
    #expect(line.hasSuffix("}\n"))
    return try RunEvent(OutsideFields(JSONText.value(of: String(line.dropLast()))))
  }

  @Test("every event is read back as it was written, with all fields")
  func roundTrip() throws {
    var summary = RunSummary()
    summary.passed = 1
    summary.failed = 2
    summary.skipped = 3
    summary.unloadable = 4
    summary.broken = 5
    var end = RunEnd(summary)
    end.microseconds = 77
    end.stopped = .outOfTime
    for event: RunEvent in [
      .began(Sample.header), .nothing("why"), .unloadable(file: "f", message: "m"),
      .ended(Sample.record), .finished(end),
      .ended(ScenarioRecord(file: "f", line: 1, name: "plain", status: .passed)),
    ] {
      #expect(try again(event) == event)
    }
  }

  @Test("empty fields are left out of the line")
  func short() {
    let record = ScenarioRecord(file: "f", line: 1, name: "n", status: .passed)
    #expect(
      EventStream.line(.ended(record))
        == "{\"event\":\"scenario\",\"file\":\"f\",\"line\":1,\"name\":\"n\",\"status\":\"passed\"}\n"
    )
  }

  @Test("a text with any characters survives a round trip")
  func texts() throws {
    var record = ScenarioRecord(
      file: "f", line: 1, name: "\u{0}\u{1b}\"\\\r\n\u{2028}é", status: .broken)
    record.printed = ["\u{fffd}\t"]
    #expect(try again(.ended(record)) == .ended(record))
  }

  @Test("an invalid event is not read")
  func none() {
    for value: Value in [["event": "other"], ["event": "scenario", "file": "f"], 7] {
      #expect(throws: OutsideFields.Malformed.self) { try RunEvent(OutsideFields(value)) }
    }
  }
}
