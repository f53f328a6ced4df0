import FlowKernel
@_spi(FlowHost) import StateBlocks

extension ViewError {
  /// Makes the view error for a host or a case that could not be called; a view error stays as it is.
  package init(hostError error: any Error) {
    switch error {
    case let error as ViewError: self = error
    case let error as AgentError: self = .unreachable(error)
    case let error as JournalError: self = .unsaved(error)
    default: self = .mismatch("\(error)")
    }
  }
}
