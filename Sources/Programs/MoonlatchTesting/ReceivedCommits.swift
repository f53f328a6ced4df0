import FlowKernel
import Platform

/// The commits of an instance that a test has not received yet, oldest first.
final class ReceivedCommits: Sendable {
  private struct State {
    var commits: [Commit] = []
    /// The greatest revision that was observed.
    var latest = 0
  }

  private let state = Mutex(State())

  func add(_ commit: Commit) {
    state.withLock { state in
      state.commits.append(commit)
      state.latest = max(state.latest, commit.revision)
    }
  }

  /// Drops the commits up to a revision, which the test does not follow.
  func drop(upTo revision: Int) {
    state.withLock { state in
      state.commits.removeAll { $0.revision <= revision }
      state.latest = max(state.latest, revision)
    }
  }

  /// The commits that are left.
  var all: [Commit] { state.withLock(\.commits) }

  /// The greatest revision that was observed.
  var latest: Int { state.withLock(\.latest) }

  /// Removes and returns the oldest commit; nil if there is none.
  func removeFirst() -> Commit? {
    state.withLock { $0.commits.isEmpty ? nil : $0.commits.removeFirst() }
  }
}
