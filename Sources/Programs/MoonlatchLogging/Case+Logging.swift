import FlowCases
import FlowHosting
import FlowKernel
import Logging

extension Case {
  /// Logs every commit of the case from now on, once it is stored, with the action as message.
  ///
  /// The case's id is the metadata `host`; revision, cause, time and patch are metadata, too.
  ///
  /// - Returns: the subscription, which ends the logging when it is cancelled or released.
  /// - Throws: `JournalError` if there is no such case.
  public func logCommits(
    to logger: Logger, level: Logger.Level = .debug
  ) async throws -> ViewSubscription {
    let id = id
    return try await observe { logger.log($0, of: id, level: level) }
  }
}
