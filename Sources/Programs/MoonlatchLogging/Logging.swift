import Logging
import FlowHosting
import FlowKernel

extension HostOptions {
  /// Sends what scripts print (`info`) and what goes wrong away from any call (`warning`) to a log, with
  /// the host's id as the metadata `host`.
  public mutating func log(to logger: Logger) {
    printing = { logger.info("\($1.visible)", metadata: ["host": "\($0.text)"]) }
    reporting = { logger.warning("\($1.visible)", metadata: ["host": "\($0.text)"]) }
  }
}

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

extension Commit {
  var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = [
      "action": "\(action.visible)", "revision": "\(revision)", "time": "\(time)",
      "patch": .array(patch.changes.map { "\("\($0)".visible)" }),
    ]
    if let cause { metadata["cause"] = "\(cause)" }
    return metadata
  }
}
