import FlowLanguage
import LuaRuntime
import StateCharts

extension Chart.Timer {
  var word: String { repeats ? "every" : "after" }

  /// What messages call a timed way.
  func title(_ seconds: Double, in place: String) -> String {
    "\(word) \(EngineTime.text(seconds)) in \(place)"
  }

  /// The beginning of the titles of its timed transition: `after 20 s`; nil if the delay is worked out.
  package var titleInSeconds: String? {
    if case .seconds(let seconds) = delay { "\(word) \(EngineTime.text(seconds))" } else { nil }
  }

  /// Whether they call it so; what is worked out may have been anything.
  func isCalled(_ title: String, in place: String) -> Bool {
    switch delay {
    case .seconds(let seconds): title == self.title(seconds, in: place)
    case .workedOut: title.hasPrefix("\(word) ") && title.hasSuffix(" s in \(place)")
    }
  }
}
