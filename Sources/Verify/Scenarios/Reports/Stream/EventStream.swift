import LuaRuntime

/// The event stream of a run as text: one JSON object on each line.
package enum EventStream {
  /// An error that says what is wrong with a stream, and where.
  package struct Malformed: Error, CustomStringConvertible {
    package let description: String
  }

  /// Returns the line of an event, with its newline.
  package static func line(_ event: RunEvent) -> String { JSONText.text(event.value) + "\n" }

  /// Reads a whole stream.
  ///
  /// The first line says in which version of the format the stream is written. Throws if a line is malformed, if there
  /// is none, or if the version is not the current one.
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
    guard !events.isEmpty else { throw Malformed(description: "\(name): it has no events") }
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
