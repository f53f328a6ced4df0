import FlowLanguage
import LuaRuntime
import StateCharts

extension Chart.Timer {
  var word: String { repeats ? "every" : "after" }

  /// Returns the title of a timed transition in messages.
  func title(_ seconds: Double, in place: String) -> String {
    "\(word) \(DurationText.text(seconds)) in \(place)"
  }

  /// Returns true if a timed transition can have that title; a computed delay may have been any.
  func isCalled(_ title: String, in place: String) -> Bool {
    switch delay {
    case .seconds(let seconds):
      // Logs and journals of the first version have seconds only.
      title == self.title(seconds, in: place)
        || title == "\(word) \(DurationText.inSeconds(seconds)) in \(place)"
    case .workedOut: title.hasPrefix("\(word) ") && title.hasSuffix(" in \(place)")
    }
  }
}
