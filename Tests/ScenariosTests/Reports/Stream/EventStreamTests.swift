import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct EventStreamTests {
  private func problem(_ text: String) -> String {
    do throws(EventStream.Malformed) {
      _ = try EventStream.events(of: text, name: "s.jsonl")
      return "none"
    } catch {
      return error.description
    }
  }

  private let begin = "{\"event\":\"run\",\"version\":1}\n"

  @Test("a stream is read line by line")
  func reads() throws {
    let events: [RunEvent] = [.began(Sample.header), .ended(Sample.record), Sample.end()]
    let text = events.map(EventStream.line).joined()
    #expect(try EventStream.events(of: text, name: "s") == events)
    #expect(try EventStream.events(of: text + "\n", name: "s") == events)
  }

  @Test("an invalid line is reported with its number")
  func malformed() {
    #expect(problem(begin + "{").hasPrefix("s.jsonl:2:2: this is not JSON: "))
    #expect(problem(begin + "{}").hasPrefix("s.jsonl:2:1: this is not an event of a run"))
    #expect(problem("") == "s.jsonl: it has no events")
    #expect(
      problem("{\"event\":\"note\"}\n") == "s.jsonl:1:1: a stream begins with the event \"run\"")
  }

  @Test(
    "an impossible number is rejected with its line and column",
    arguments: [
      ("{\"event\":\"end\",\"failed\":N}", 25), ("{\"event\":\"end\",\"broken\":N}", 25),
      ("{\"event\":\"end\",\"unloadable\":N}", 29), ("{\"event\":\"end\",\"microseconds\":N}", 31),
      (
        "{\"event\":\"scenario\",\"file\":\"f\",\"name\":\"n\",\"status\":\"passed\",\"line\":N}",
        68
      ),
      (
        "{\"event\":\"scenario\",\"file\":\"f\",\"name\":\"n\",\"status\":\"failed\","
          + "\"problem\":{\"source\":[{\"line\":N}]}}", 90
      ),
      ("{\"event\":\"coverage\",\"parts\":[{\"total\":N}]}", 39),
      ("{\"event\":\"run\",\"shard\":{\"total\":N}}", 33),
    ])
  func numbers(line: String, column: Int) {
    for number in ["9223372036854775807", "-1", "1e300", "0.5", "\"1\""] {
      let told = problem(begin + line.replacing("N", with: number) + "\n")
      #expect(told.hasPrefix("s.jsonl:2:\(column): "), "\(told)")
      #expect(told.contains(" takes a whole number from 0 to "), "\(told)")
    }
  }

  @Test("the largest valid numbers are accepted by every report")
  func largest() throws {
    let most = OutsideNumber.counts.upperBound
    let scenario =
      "{\"event\":\"scenario\",\"file\":\"f\",\"name\":\"n\",\"status\":\"failed\",\"line\":\(most),"
      + "\"microseconds\":\(OutsideNumber.durations.upperBound),\"attempt\":\(most),"
      + "\"problem\":{\"kind\":\"k\",\"message\":\"m\",\"source\":[{\"line\":\(most)},{\"line\":1}]},"
      + "\"steps\":[{\"outcome\":\"passed\",\"revision\":\(most),\"more_changes\":\(most)}]}\n"
    let text =
      begin + String(repeating: scenario, count: 100)
      + "{\"event\":\"coverage\",\"flow\":\"f\",\"parts\":[{\"kind\":\"k\",\"total\":\(most),"
      + "\"missing\":[\"\(most)\",\"\(most)\",\"9223372036854775807\"]}]}\n"
      + "{\"event\":\"end\",\"failed\":\(most),\"broken\":\(most),\"unloadable\":\(most)}\n"
    let events = try EventStream.events(of: text, name: "s")
    for format in ReportFormat.allCases { #expect(!Sample.report(format, events).isEmpty) }
    #expect(events.durations.count == 1)
  }

  @Test("an unknown version is rejected")
  func version() {
    #expect(
      problem("{\"event\":\"run\",\"version\":9}\n")
        == "s.jsonl:1:1: this is version 9 of the stream; this command reads version 1")
  }
}
