#if Server
  import ArgumentParser

  /// The reaction of `serve` to calls of capabilities that nobody provides.
  enum MissingPolicy: String, ExpressibleByArgument, CaseIterable {
    /// The server does not start.
    case refuse
    /// Durable effects wait until the host file provides them; plain ones fail.
    case wait
  }
#endif
