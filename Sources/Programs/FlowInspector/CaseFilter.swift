import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

/// A filter of a list of cases, in addition to the state of a machine.
package struct CaseFilter: Sendable {
  /// The condition of a case.
  package enum Outcome: String, Sendable, CaseIterable {
    /// The case has not ended.
    case running
    /// The case has ended.
    case ended
    /// Something has been due for longer than a minute, or the case could not be woken.
    case overdue
  }

  /// The time of a case that `since` and `until` are compared with.
  package enum Time: String, Sendable {
    case born, written
  }

  /// A comparison of a field of the state with a text.
  package struct Condition: Sendable {
    enum Operator: String, CaseIterable {
      // Longer operators come first: `<=` must not be read as `<`.
      case notEqual = "!=", atLeast = ">=", atMost = "<=", contains = "~"
      case equal = "=", greater = ">", less = "<"
    }

    let path: StatePath
    let comparison: Operator
    let text: String

    /// Parses a condition such as `cents > 100`, `user.name = ann` or `note ~ onion`.
    ///
    /// - Throws: `InspectorMistake`, which says what is accepted.
    package init(_ text: String) throws {
      let found = Operator.allCases.compactMap { each in
        text.firstRange(of: each.rawValue).map { (each, $0) }
      }
      let first = found.min {
        ($0.1.lowerBound, -$0.0.rawValue.count) < ($1.1.lowerBound, -$1.0.rawValue.count)
      }
      guard let (comparison, range) = first,
        let path = Condition.path(Condition.trimmed(text[..<range.lowerBound]))
      else {
        throw InspectorMistake(
          .bad,
          "a state filter must be a path, one of = != < <= > >= ~ (contains), and a value: order.cents >= 100"
        )
      }
      self.path = path
      self.comparison = comparison
      self.text = Condition.trimmed(text[range.upperBound...])
    }

    private static func path(_ text: String) -> StatePath? {
      let isName = !text.isEmpty && !text.contains { $0 == "." || $0 == "[" || $0.isWhitespace }
      return isName ? StatePath([.field(text)]) : StatePath(parsing: text)
    }

    private static func trimmed(_ text: Substring) -> String {
      var text = text.drop(while: \.isWhitespace)
      while text.last?.isWhitespace == true { text.removeLast() }
      return String(text)
    }

    /// Returns true if the state satisfies the condition.
    ///
    /// Numbers are compared as numbers, all other values as text. No condition holds of a secret.
    func holds(in state: Value) -> Bool {
      let found = state[path]
      if found == Secrets.dots { return false }
      let shown = found.stringValue ?? (found == .nil ? "nothing" : found.text(limit: 1_000))
      switch comparison {
      case .equal: return isEqual(found, shown)
      case .notEqual: return !isEqual(found, shown)
      case .contains: return shown.lowercased().contains(text.lowercased())
      case .greater, .less, .atLeast, .atMost: return isOrdered(found, shown)
      }
    }

    private func isEqual(_ found: Value, _ shown: String) -> Bool {
      if let number = found.doubleValue, let wanted = Double(text) { return number == wanted }
      return shown == text
    }

    private func isOrdered(_ found: Value, _ shown: String) -> Bool {
      if found == .nil { return false }
      func compare<Element: Comparable>(_ one: Element, _ other: Element) -> Bool {
        switch comparison {
        case .greater: one > other
        case .less: one < other
        case .atLeast: one >= other
        default: one <= other
        }
      }
      if let number = found.doubleValue {
        return Double(text).map { compare(number, $0) } ?? false
      }
      return compare(shown, text)
    }
  }

  /// A part of the id, ignoring case; empty for any.
  var search = ""
  var outcome: Outcome?
  var time = Time.written
  /// The time in microseconds since 1970.
  var since: Int?
  var until: Int?
  var condition: Condition?

  /// Creates a filter that accepts every case.
  package init() {}

  /// Creates a filter from query parameters.
  ///
  /// - Parameters:
  ///   - outcome: `running`, `ended` or `overdue`.
  ///   - time: `born` or `written`: the time that `since` and `until` refer to.
  ///   - state: a condition, in the syntax of `Condition`.
  /// - Throws: `InspectorMistake`, which says what is accepted.
  package init(
    search: String?, outcome: String?, time: String?, since: Int?, until: Int?, state: String?
  ) throws {
    self.search = (search ?? "").lowercased()
    if let outcome, !outcome.isEmpty {
      guard let known = Outcome(rawValue: outcome) else {
        throw InspectorMistake(.bad, "outcome must be running, ended or overdue, not \(outcome)")
      }
      self.outcome = known
    }
    if let time {
      guard let known = Time(rawValue: time) else {
        throw InspectorMistake(.bad, "time must be born or written, not \(time)")
      }
      self.time = known
    }
    (self.since, self.until) = (since, until)
    if let state, !state.isEmpty { condition = try Condition(state) }
  }

  /// True if the filter accepts every case.
  var isEmpty: Bool {
    search.isEmpty && outcome == nil && since == nil && until == nil && condition == nil
  }

  /// Returns true if the filter accepts a case, as far as that can be decided without its state.
  func fits(_ summary: CaseSummary, now: Int, troubled: Set<String>) -> Bool {
    if !search.isEmpty, !summary.id.lowercased().contains(search) { return false }
    let time = time == .born ? summary.born : summary.wall
    if let since, time < since { return false }
    if let until, time > until { return false }
    switch outcome {
    case nil: return true
    case .ended: return summary.ended != nil
    case .running: return summary.ended == nil
    case .overdue:
      let isLate = summary.due.map { now - $0 > CaseList.late } ?? false
      return summary.ended == nil && (isLate || troubled.contains(summary.id))
    }
  }
}
