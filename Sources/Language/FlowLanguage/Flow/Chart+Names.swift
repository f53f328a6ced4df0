import LuaRuntime
import StateCharts

extension Chart.Timer {
  /// The text of the timer, such as `after 20 s` or `every 0.5 s`.
  ///
  /// It is `after a while` if a function computes the delay.
  package var text: String {
    let word = repeats ? "every" : "after"
    guard case .seconds(let seconds) = delay else { return "\(word) a while" }
    return "\(word) \(DurationText.text(seconds))"
  }
}
