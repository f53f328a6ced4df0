import Moonlatch
import SharedCommands

/// What was before this session, as the journal of a case tells it.
extension Session {
  /// A transition, and the entry that tells of it where the history does not reach so far.
  private struct Recorded {
    let transition: Transition
    var entry: JournalEntry?
  }

  /// How a transition came about: what changed, and what led to it, back to what came from outside.
  func why(_ revision: Int) throws -> String {
    let recorded = try recorded(upTo: revision)
    guard let found = recorded[revision] else {
      throw Misuse(
        "there is no transition #\(revision)"
          + (kept == nil ? " in the history" : ", or its entry was dropped by a compaction"))
    }
    var lines = [heading(of: found.transition)]
    lines += found.transition.patch.changes.map { change in
      "  " + text(of: engine.flow.secrets?.hiding(change) ?? change)
    }
    var first = found
    while let cause = first.transition.cause, let before = recorded[cause] {
      lines.append("since " + heading(of: before.transition))
      first = before
    }
    lines.append(origin(of: first))
    return lines.joined(separator: "\n")
  }

  private func heading(of transition: Transition) -> String {
    let payload = engine.flow.shown(transition.payload, of: transition.action)
    return style.heading("#\(transition.revision) \(transition.action)")
      + (payload == [:] ? "" : " \(payload.text(limit: 200))")
  }

  private func origin(of first: Recorded) -> String {
    let entry =
      first.entry.map { ", entry \($0.seq) of the journal, \(WallTime.text($0.wall))" } ?? ""
    if let cause = first.transition.cause {
      return cause == 0
        ? "a timer of the beginning\(entry)"
        : "by #\(cause), of which nothing is told any more\(entry)"
    }
    return "from outside" + (first.transition.by.map { ", by \($0)" } ?? "") + entry
  }

  /// The latest transitions of each revision, from the journal and the history.
  private func recorded(upTo revision: Int) throws -> [Int: Recorded] {
    var recorded: [Int: Recorded] = [:]
    if let journal = options.journal, let kept, halt == nil {
      var next = 1
      while true {
        let entries = try journal.entries(of: kept.id, from: next, limit: 200)
        for entry in entries {
          for transition in try entry.contents().transitions where transition.revision <= revision {
            recorded[transition.revision] = Recorded(transition: transition, entry: entry)
          }
        }
        guard entries.count == 200, let last = entries.last?.seq else { break }
        next = last + 1
      }
    } else {
      for at in stride(from: revision, to: 0, by: -1) {
        guard let transition = engine.transition(at: at) else { break }
        recorded[at] = Recorded(transition: transition)
      }
    }
    return recorded
  }
}
