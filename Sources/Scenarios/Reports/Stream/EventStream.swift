import Moonlatch

/// The stream of a run as text: one JSON object a line.
package enum EventStream {
  /// What is no stream, and where.
  package struct Malformed: Error, CustomStringConvertible {
    package let description: String
  }

  /// The line of an event, its newline included.
  package static func line(_ event: RunEvent) -> String { JSONText.text(event.value) + "\n" }

  /// Reads a whole stream.
  ///
  /// Its first line says which version it is written in.
  package static func events(of text: String, name: String) throws(Malformed) -> [RunEvent] {
    var events: [RunEvent] = []
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() where !line.isEmpty {
      func malformed(_ why: String) -> Malformed {
        Malformed(description: "\(name):\(index + 1): \(why)")
      }
      let value: Value
      do {
        value = try JSONText.value(of: String(line))
      } catch {
        throw malformed("this is no JSON: \(error)")
      }
      guard let event = RunEvent(value) else {
        throw malformed("this is no event of a run (write one with --report jsonl=FILE)")
      }
      if events.isEmpty { try check(event, malformed) }
      events.append(event)
    }
    guard !events.isEmpty else { throw Malformed(description: "\(name): there is no event in it") }
    return events
  }

  private static func check(_ first: RunEvent, _ malformed: (String) -> Malformed)
    throws(Malformed)
  {
    guard case .began(let header) = first else {
      throw malformed("a stream begins with the event \"run\"")
    }
    guard header.version == RunHeader.currentVersion else {
      throw malformed(
        "this is version \(header.version) of the stream; this command reads version "
          + "\(RunHeader.currentVersion)")
    }
  }
}
