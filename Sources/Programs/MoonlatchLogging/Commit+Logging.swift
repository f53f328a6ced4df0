import FlowHosting
import FlowKernel
import Logging

extension Commit {
  var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = [
      "action": "\(action.visible)", "revision": "\(revision)", "time": "\(time)",
      "patch": .array(changes.changes.map { "\("\($0)".visible)" }),
    ]
    if let cause { metadata["cause"] = "\(cause)" }
    return metadata
  }
}
