import StateCharts

/// The differences of Qt SCXML 5.15 from appendix D: with these rules the reference does what Qt does.
struct QtRules: OptionSet, Hashable, Sendable, CustomStringConvertible {
  let rawValue: Int

  /// A state without `initial` whose first child is a history starts with that history.
  ///
  /// In the appendix a history is not one of the child states.
  static let beginsWithHistory = QtRules(rawValue: 1)

  /// The target of a history is entered up to its parent, even if it is active; the appendix does so, and we do not.
  static let entersAgain = QtRules(rawValue: 2)
  /// Of transitions in one microstep, those of deeper states come first.
  ///
  /// In the appendix they are in the document order of their atomic states.
  static let deeperFirst = QtRules(rawValue: 4)

  static let all: [(rule: QtRules, name: String)] = [
    (.beginsWithHistory, "begins with a history"),
    (.entersAgain, "enters what is active"),
    (.deeperFirst, "takes deeper transitions first"),
  ]

  var description: String {
    Self.all.filter { contains($0.rule) }.map(\.name).joined(separator: ", ")
  }

  /// All sets of rules, the smallest first.
  static let subsets: [QtRules] = (0..<1 << all.count).map(QtRules.init)
    .sorted {
      ($0.rawValue.nonzeroBitCount, $0.rawValue) < ($1.rawValue.nonzeroBitCount, $1.rawValue)
    }

  /// Returns the chart as Qt reads it.
  func chart(_ chart: Chart) -> Chart {
    var chart = chart
    if contains(.beginsWithHistory) {
      for number in chart.states.indices.dropLast()
      where chart.states[number].kind == .compound && chart.states[number].initial == nil {
        guard case .history = chart.states[number + 1].kind else { continue }
        chart.states[number].initial = .init(
          source: Int32(number), trigger: .always, targets: [Int32(number + 1)])
      }
    }
    return chart
  }
}
