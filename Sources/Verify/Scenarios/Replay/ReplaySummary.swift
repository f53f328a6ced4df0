import FlowKernel

/// What a replay came to.
package struct ReplaySummary {
  /// Events that did not pass by the same rule.
  package struct Group: Hashable {
    package let action: String
    /// Who refused (`gate push`), or the kind of failure (`payload`).
    package let by: String
    /// The reason of a refusal; the rule behind a failure, whatever values that names.
    package let reason: String
    package let isRefusal: Bool
  }

  /// How often that was, and where it was first.
  package struct Count {
    package var events: Int
    /// The reason of the first of them.
    package let example: String
    /// True if other rows name other values.
    package var isVaried = false
    package let firstCase: String
    package let firstLine: Int
  }

  /// How many groups are told apart.
  ///
  /// Reasons may name values, of which a log has any number.
  package static let mostGroups = 1_000

  package internal(set) var cases = 0
  /// Cases of which every event passed.
  package internal(set) var whole = 0
  package internal(set) var rows = 0
  package internal(set) var passed = 0
  package internal(set) var refused = 0
  package internal(set) var failed = 0
  package internal(set) var malformed = 0
  /// True if any row was an event.
  package var hasEvents: Bool { passed + refused + failed > 0 }
  /// Rows that the map left out.
  package internal(set) var skipped = 0
  /// The same by the map's reasons.
  package internal(set) var skippedRows = RowGroups()
  /// What stood between the cells; nil for JSON lines.
  package internal(set) var delimiter: UInt8?
  /// What the times were taken for; nil where there were none.
  package internal(set) var timeFormat: LogTime.Format?
  package private(set) var groups: [Group: Count] = [:]
  /// Events of groups beyond the most that are told apart.
  package private(set) var ungrouped = 0

  mutating func add(_ deviation: ReplayDeviation) {
    let reason = deviation.reason
    let group = Group(
      action: deviation.action, by: deviation.by,
      reason: deviation.isRefusal ? reason : RowGroups.rule(of: reason),
      isRefusal: deviation.isRefusal)
    if let known = groups[group] {
      groups[group]?.events += 1
      if known.example != reason { groups[group]?.isVaried = true }
    } else if groups.count < ReplaySummary.mostGroups {
      groups[group] = Count(
        events: 1, example: reason, firstCase: deviation.name, firstLine: deviation.line)
    } else {
      ungrouped += 1
    }
  }
}

/// An event that did not pass.
package struct ReplayDeviation {
  /// Why an event did not pass.
  struct RejectionReason: Hashable {
    let by: String
    let reason: String
    let isRefusal: Bool

    /// Nil for what passed.
    init?(_ outcome: Outcome) {
      switch outcome {
      case .passed: return nil
      case .refused(let refusal):
        (by, isRefusal) = (refusal.rejectedBy.description, true)
        reason = refusal.reason ?? "no reason given (\(refusal.place))"
      case .failed(let failure):
        (by, reason, isRefusal) = (failure.kind.rawValue, failure.summary, false)
      }
    }
  }

  /// The case's name.
  package let name: String
  package let line: Int
  package let action: String
  private let why: RejectionReason
  package var by: String { why.by }
  package var reason: String { why.reason }
  package var isRefusal: Bool { why.isRefusal }

  init(_ why: RejectionReason, _ action: String, of name: String, line: Int) {
    (self.why, self.action, self.name, self.line) = (why, action, name, line)
  }
}
