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

  @Test("what cannot be read is told with its line")
  func malformed() {
    #expect(problem(begin + "{").hasPrefix("s.jsonl:2: this is no JSON: column 2:"))
    #expect(problem(begin + "{}").hasPrefix("s.jsonl:2: this is no event of a run"))
    #expect(problem("") == "s.jsonl: there is no event in it")
    #expect(
      problem("{\"event\":\"note\"}\n") == "s.jsonl:1: a stream begins with the event \"run\"")
  }

  @Test("a version that is not known is refused")
  func version() {
    #expect(
      problem("{\"event\":\"run\",\"version\":9}\n")
        == "s.jsonl:1: this is version 9 of the stream; this command reads version 1")
  }
}
