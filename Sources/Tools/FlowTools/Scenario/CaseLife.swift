import FlowHosting
import FlowKernel

/// The input of a case from outside, as the steps of a scenario.
package struct CaseLife {
  private var played = PlayedSteps()
  private var time = 0
  private var revision = 0

  package var steps: [PlayedSteps.Entry] { played.entries }

  /// Begins after an entry that contains the whole situation.
  package init(after entry: JournalEntry, _ contents: JournalEntry.Contents) {
    (revision, time) = (entry.revision, entry.seq == 1 ? 0 : contents.time ?? 0)
  }

  package mutating func add(_ entry: JournalEntry, _ contents: JournalEntry.Contents) {
    if contents.kind == .image {
      if entry.revision != revision { played.go(to: entry.revision, at: contents.time ?? time) }
      (revision, time) = (entry.revision, contents.time ?? time)
      return
    }
    var rest = contents.commits[...]
    while let commit = rest.popFirst() {
      revision = commit.revision
      let isOutside = commit.cause == nil
      if isOutside, commit.microseconds > time { pass(to: commit.microseconds, []) }
      // The commits up to the next input from outside belong to the same step.
      let end = rest.firstIndex { $0.cause == nil } ?? rest.endIndex
      let followed = Array(rest[..<end])
      rest = rest[end...]
      if isOutside {
        let start = time
        played.add(
          .init(
            .dispatch(
              action: commit.action, payload: commit.payload, outcome: .passed(commit),
              followed: followed), at: start))
        time = max(time, followed.last?.microseconds ?? time)
      } else {
        let all = [commit] + followed
        pass(to: max(time, all.last?.microseconds ?? time), all)
      }
      revision = followed.last?.revision ?? revision
    }
    if let now = contents.time, now > time { pass(to: now, []) }
  }

  private mutating func pass(to end: Int, _ followed: [Commit]) {
    played.add(.init(.advance(microseconds: end - time, followed: followed), at: time))
    time = end
  }
}
