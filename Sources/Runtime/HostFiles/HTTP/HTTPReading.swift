import FlowKernel

/// The meaning of a response of an `http` capability, before its function has seen it.
enum HTTPReading: Sendable {
  /// The content becomes the result.
  case content(HTTPContent)
  /// The call ends, or not, without a result.
  case outcome(PerformedOutcome)
}
