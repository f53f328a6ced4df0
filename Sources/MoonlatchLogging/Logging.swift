import Logging
import Moonlatch

extension HostOptions {
  /// Sends what scripts print (`info`) and what goes wrong away from any call (`warning`) to a log.
  public mutating func log(to logger: Logger) {
    print = { logger.info("\($0)") }
    report = { logger.warning("\($0)") }
  }
}

extension FlowHost {
  /// Logs every transition: its action as the message; revision, cause, time and patch as metadata.
  ///
  /// - Returns: what ends the logging.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @discardableResult
  public func logTransitions(
    to logger: Logger, level: Logger.Level = .debug
  ) throws(AgentError) -> ViewSubscription {
    try observe { transition in
      logger.log(level: level, "\(transition)", metadata: transition.metadata)
    }
  }
}

extension Transition {
  var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = [
      "action": "\(action)", "revision": "\(revision)", "time": "\(time)",
      "patch": .array(patch.changes.map { "\($0)" }),
    ]
    if let cause { metadata["cause"] = "\(cause)" }
    return metadata
  }
}
