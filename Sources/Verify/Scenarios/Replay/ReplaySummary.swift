import FlowKernel

/// The counts of a replay.
package struct ReplaySummary {
  /// The events that did not pass by the same rule.
  package struct Group: Hashable {
    package let action: String
    /// The rule that refused (`gate push`), or the kind of failure (`payload`).
    package let by: String
    /// The reason of a refusal; for a failure the rule behind it, without the values in its text.
    package let reason: String
    package let isRefusal: Bool
  }

  /// The number of a group's events, and the first of them.
  package struct Count {
    package var events: Int
    /// The reason of the first event.
    package let example: String
    /// True if the reasons of other events contain other values.
    package var isVaried = false
    package let firstCase: String
    package let firstLine: Int
  }

  /// The number of groups that are distinguished.
  ///
  /// It is limited because reasons may contain values, of which a log has any number.
  package static let mostGroups = 1_000

  package internal(set) var cases = 0
  /// The number of cases of which every event passed.
  package internal(set) var whole = 0
  package internal(set) var rows = 0
  package internal(set) var passed = 0
  package internal(set) var refused = 0
  package internal(set) var failed = 0
  package internal(set) var malformed = 0
  /// True if any row was an event.
  package var hasEvents: Bool { passed + refused + failed > 0 }
  /// The number of rows that the map left out.
  package internal(set) var skipped = 0
  /// The rows that the map left out, grouped by its reasons.
  package internal(set) var skippedRows = RowGroups()
  /// The character between the cells; nil for JSON lines.
  package internal(set) var delimiter: UInt8?
  /// The format in which the times were read; nil if there were none.
  package internal(set) var timeFormat: LogTime.Format?
  package private(set) var groups: [Group: Count] = [:]
  /// The number of events in groups beyond the limit.
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
  /// The reason that an event did not pass.
  struct RejectionReason: Hashable {
    let by: String
    let reason: String
    let isRefusal: Bool

    /// Makes the reason from an outcome; returns nil if the outcome is passed.
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

  /// The name of the case.
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
