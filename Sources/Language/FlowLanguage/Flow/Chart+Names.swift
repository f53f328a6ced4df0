import StateCharts

extension Chart.Timer {
  /// `after 20 s`, `every 0.5 s`; `after 14d` where the flow has it so, and `after a while` where a function works
  /// it out.
  package var text: String {
    let word = repeats ? "every" : "after"
    if let written { return "\(word) \(written)" }
    guard case .seconds(let seconds) = delay else { return "\(word) a while" }
    return "\(word) \(Int(exactly: seconds).map(String.init) ?? String(seconds)) s"
  }
}
