import StateCharts

/// Where Qt SCXML 5.15 differs from appendix D: with these rules the reference does what Qt does.
struct QtRules: OptionSet, Hashable, Sendable, CustomStringConvertible {
  let rawValue: Int

  /// A state without `initial` whose first child is a history begins with that: of the appendix's child states a
  /// history is none.
  static let beginsWithHistory = QtRules(rawValue: 1)

  /// What a history leads to is entered up to its parent, active or not: so the appendix has it, and not we.
  static let entersAgain = QtRules(rawValue: 2)
  /// Of transitions that go together, those come first whose states stand deeper: the appendix has them in the order
  /// in which their atomic states stand in the document.
  static let deeperFirst = QtRules(rawValue: 4)

  static let all: [(rule: QtRules, name: String)] = [
    (.beginsWithHistory, "begins with a history"),
    (.entersAgain, "enters what is active"),
    (.deeperFirst, "takes deeper transitions first"),
  ]

  var description: String {
    Self.all.filter { contains($0.rule) }.map(\.name).joined(separator: ", ")
  }

  /// All choices of rules, the smallest first.
  static let subsets: [QtRules] = (0..<1 << all.count).map(QtRules.init)
    .sorted {
      ($0.rawValue.nonzeroBitCount, $0.rawValue) < ($1.rawValue.nonzeroBitCount, $1.rawValue)
    }

  /// The chart as Qt has it.
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
