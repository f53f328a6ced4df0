import LuaRuntime

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
    var lines = JSONLines(text)
    do throws(JSONLines.Malformed) {
      while let fields = try lines.next() {
        do throws(OutsideFields.Malformed) {
          let event = try RunEvent(fields)
          if events.isEmpty { try check(fields) }
          events.append(event)
        } catch {
          throw lines.malformed(error)
        }
      }
    } catch {
      throw Malformed(description: "\(name):\(error.line):\(error.column): \(error.reason)")
    }
    guard !events.isEmpty else { throw Malformed(description: "\(name): there is no event in it") }
    return events
  }

  private static func check(_ first: OutsideFields) throws(OutsideFields.Malformed) {
    guard try first.text("event") == "run" else {
      throw first.malformed("a stream begins with the event \"run\"")
    }
    let version = try first.integer("version") ?? 0
    guard version == RunHeader.currentVersion else {
      throw first.malformed(
        "this is version \(version) of the stream; this command reads version "
          + "\(RunHeader.currentVersion)")
    }
  }
}
