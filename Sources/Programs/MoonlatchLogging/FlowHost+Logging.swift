import FlowHosting
import FlowKernel
import Logging

extension FlowHost {
  /// Logs every commit for as long as the host lives, with the action as message.
  ///
  /// Host, revision, cause, time and patch are metadata.
  ///
  /// - Returns: a subscription that can end the logging earlier; it may be dropped.
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped; `JournalError` if its case is
  ///   stored in a journal and cannot be stored.
  @discardableResult
  public func logCommits(
    to logger: Logger, level: Logger.Level = .debug
  ) throws -> ViewSubscription {
    try observe(owner: self) { host, commit in logger.log(commit, of: host.id, level: level) }
  }
}
