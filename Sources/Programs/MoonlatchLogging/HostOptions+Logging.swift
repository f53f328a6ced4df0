import FlowHosting
import FlowKernel
import Logging

extension HostOptions {
  /// Sends what scripts print (`info`) and what goes wrong away from any call (`warning`) to a log, with
  /// the host's id as the metadata `host`.
  public mutating func log(to logger: Logger) {
    printing = { logger.info("\($1.visible)", metadata: ["host": "\($0.text)"]) }
    reporting = { logger.warning("\($1.visible)", metadata: ["host": "\($0.text)"]) }
  }
}
