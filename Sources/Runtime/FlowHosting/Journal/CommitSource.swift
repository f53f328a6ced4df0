import FlowKernel
import FlowLanguage
import LuaRuntime

/// The facts about a case that its commits have in memory, and that no entry repeats.
package struct CommitSource: Sendable {
  /// The wall clock's time at the time 0 of the case, in microseconds since 1970.
  private let epoch: Int
  private let secrets: Secrets?

  package init(epoch: Int, secrets: Secrets?) { (self.epoch, self.secrets) = (epoch, secrets) }

  /// Returns a commit as it was read from an entry, with its wall clock time, and with secrets hidden.
  package func whole(_ commit: Commit) -> Commit {
    var whole = commit
    commit.withBytes { writes, payload in
      whole = Commit(
        revision: commit.revision, action: commit.action, cause: commit.cause,
        microseconds: commit.microseconds, hostBegan: epoch, writes: writes, payload: payload,
        secrets: secrets, by: commit.dispatchedBy, isPostponed: commit.isPostponed)
    }
    return whole
  }
}
