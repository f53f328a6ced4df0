import FlowHosting
import FlowKernel
import Logging

extension FlowHost {
  /// Logs every transition for as long as the host lives: its action as the message; host, revision, cause,
  /// time and patch as metadata.
  ///
  /// - Returns: what ends the logging earlier; it may be dropped.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped; `JournalError`, where its case
  ///   is kept and cannot be.
  @discardableResult
  public func logCommits(
    to logger: Logger, level: Logger.Level = .debug
  ) throws -> ViewSubscription {
    try observe(owner: self) { host, commit in
      var metadata = commit.metadata
      metadata["host"] = "\(host.id.visible)"
      logger.log(level: level, "\("\(commit)".visible)", metadata: metadata)
    }
  }
}
