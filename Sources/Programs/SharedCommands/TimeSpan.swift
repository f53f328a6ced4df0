import ArgumentParser
import LuaRuntime

/// A duration as an argument: `5`, `500ms`, `1h30m`.
package struct TimeSpan: ExpressibleByArgument {
  package let duration: Duration

  package init(days: Int) { duration = .seconds(days * 86_400) }

  package init?(argument: String) {
    let isNumber = argument.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
    let seconds = isNumber ? Double(argument) : Value.string(argument).seconds
    guard let seconds, seconds > 0, seconds < 1e9 else { return nil }
    duration = .seconds(seconds)
  }

  /// The duration as help shows it: `30 days`, `2 min 5 s`.
  package var defaultValueDescription: String {
    DurationText.text(duration)
  }
}
