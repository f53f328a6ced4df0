import FlowHosting
import FlowKernel
import Logging

extension Logger {
  /// Logs a commit of a host or a case, with the action as message.
  func log(_ commit: Commit, of host: String, level: Logger.Level) {
    var metadata = commit.metadata
    metadata["host"] = "\(host.visible)"
    log(level: level, "\("\(commit)".visible)", metadata: metadata)
  }
}
