import FlowCases
import FlowHosting
import FlowKernel
import Logging

extension Cases {
  /// Logs every commit of every case that this process runs, once it is stored, with the action as message.
  ///
  /// The case's id is the metadata `host`; revision, cause, time and patch are metadata, too.
  ///
  /// - Returns: the subscription, which ends the logging when it is cancelled or released.
  public func logCommits(
    to logger: Logger, level: Logger.Level = .debug
  ) -> ViewSubscription {
    observe { id, commit in logger.log(commit, of: id, level: level) }
  }
}
