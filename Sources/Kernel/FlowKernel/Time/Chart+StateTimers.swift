import FlowLanguage
import LuaRuntime
import StateCharts

extension Chart.Timer {
  var word: String { repeats ? "every" : "after" }

  /// Returns the title of a timed transition in messages.
  func title(_ seconds: Double, in place: String) -> String {
    "\(word) \(EngineTime.text(seconds)) in \(place)"
  }

  /// The beginning of the titles of its timed transition, such as `after 20 s`; nil if the delay is computed.
  package var titleInSeconds: String? {
    if case .seconds(let seconds) = delay { "\(word) \(EngineTime.text(seconds))" } else { nil }
  }

  /// Returns true if a timed transition can have that title; a computed delay may have been any.
  func isCalled(_ title: String, in place: String) -> Bool {
    switch delay {
    case .seconds(let seconds): title == self.title(seconds, in: place)
    case .workedOut: title.hasPrefix("\(word) ") && title.hasSuffix(" s in \(place)")
    }
  }
}
