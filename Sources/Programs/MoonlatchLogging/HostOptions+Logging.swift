import FlowHosting
import FlowKernel
import Logging

extension HostOptions {
  /// Logs the output of scripts (`info`) and errors outside of any call (`warning`).
  ///
  /// The host's id is the metadata `host`, and the kind of an error the metadata `kind`.
  public mutating func log(to logger: Logger) {
    printing = { logger.info("\($1.visible)", metadata: ["host": "\($0.text)"]) }
    report = { report in
      logger.warning(
        "\(report.message.visible)",
        metadata: ["host": "\(report.host ?? report.flow)", "kind": "\(report.kind)"])
    }
  }
}
