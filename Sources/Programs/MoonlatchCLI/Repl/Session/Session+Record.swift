import FlowHosting
import FlowKernel
import SharedCommands

/// Commits from before this session, read from the journal of a case.
extension Session {
  /// A commit, and its entry if the history does not reach back to it.
  private struct Recorded {
    let commit: Commit
    var entry: JournalEntry?
  }

  /// Explains a commit: its changes, and its causes back to the dispatch from outside.
  func why(_ revision: Int) throws -> String {
    let recorded = try recorded(upTo: revision)
    guard let found = recorded[revision] else {
      throw CommandError(
        "there is no commit #\(revision)"
          + (kept == nil ? " in the history" : ", or its entry was dropped by a compaction"))
    }
    var lines = [heading(of: found.commit)]
    lines += patch(of: found.commit).map { change in
      "  " + text(of: engine.flow.secrets?.hiding(change) ?? change)
    }
    var first = found
    while let cause = first.commit.cause, let before = recorded[cause] {
      lines.append("since " + heading(of: before.commit))
      first = before
    }
    lines.append(origin(of: first))
    return lines.joined(separator: "\n")
  }

  private func heading(of commit: Commit) -> String {
    let payload = engine.flow.shown(commit.payload, of: commit.action)
    return style.heading("#\(commit.revision) \(commit.action)")
      + (commit.isPostponed ? " is postponed" : "")
      + (payload == [:] ? "" : " \(payload.text(limit: 200))")
  }

  private func origin(of first: Recorded) -> String {
    let entry =
      first.entry.map { ", entry \($0.seq) of the journal, \(WallTime.text($0.wall))" } ?? ""
    if let cause = first.commit.cause {
      return cause == 0
        ? "a timer of the initial state\(entry)"
        : "by #\(cause), which is no longer stored\(entry)"
    }
    return "from outside" + (first.commit.dispatchedBy.map { ", by \($0)" } ?? "") + entry
  }

  /// Returns the latest commit of each revision, from the journal and the history.
  private func recorded(upTo revision: Int) throws -> [Int: Recorded] {
    var recorded: [Int: Recorded] = [:]
    if let journal = options.journal, let kept, halt == nil {
      var next = 1
      while true {
        let (id, from) = (kept.id, next)
        let entries = try JournalCalls.of(journal).wait {
          try await $0.entries(of: id, from: from, limit: 200)
        }
        for entry in entries {
          for commit in try entry.contents().commits where commit.revision <= revision {
            recorded[commit.revision] = Recorded(commit: commit, entry: entry)
          }
        }
        guard entries.count == 200, let last = entries.last?.seq else { break }
        next = last + 1
      }
    } else {
      for at in stride(from: revision, to: 0, by: -1) {
        guard let commit = engine.commit(at: at) else { break }
        recorded[at] = Recorded(commit: commit)
      }
    }
    return recorded
  }
}
