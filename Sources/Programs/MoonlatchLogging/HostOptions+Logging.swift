import FlowHosting
import FlowKernel
import Logging

extension HostOptions {
  /// Logs the output of scripts (`info`) and errors outside of any call (`warning`), with the host's id as the metadata
  /// `host`.
  public mutating func log(to logger: Logger) {
    printing = { logger.info("\($1.visible)", metadata: ["host": "\($0.text)"]) }
    reporting = { logger.warning("\($1.visible)", metadata: ["host": "\($0.text)"]) }
  }
}
