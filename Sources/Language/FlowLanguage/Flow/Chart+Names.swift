import StateCharts

extension Chart.Timer {
  /// The text of the timer, such as `after 20 s` or `every 0.5 s`.
  ///
  /// It is `after 14d` if the flow writes it so, and `after a while` if a function computes the delay.
  package var text: String {
    let word = repeats ? "every" : "after"
    if let written { return "\(word) \(written)" }
    guard case .seconds(let seconds) = delay else { return "\(word) a while" }
    return "\(word) \(Int(exactly: seconds).map(String.init) ?? String(seconds)) s"
  }
}
