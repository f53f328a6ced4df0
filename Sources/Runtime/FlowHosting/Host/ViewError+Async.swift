import FlowKernel
@_spi(FlowHost) import StateBlocks

extension ViewError {
  /// Makes the view error for a host that could not be called.
  package init(hostError error: any Error) {
    switch error {
    case let error as AgentError: self = .unreachable(error)
    case let error as JournalError: self = .unsaved(error)
    default: self = .mismatch("\(error)")
    }
  }
}
