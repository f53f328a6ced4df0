#if Server
  import Synchronization

  /// Runs a function unless a response was written as a whole.
  ///
  /// The body of the response holds it: a response whose head could not be written is dropped without a call.
  final class UnsentResponse: Sendable {
    private let isSent = Atomic(false)
    private let body: @Sendable () async -> Void

    init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    deinit {
      if isSent.load(ordering: .acquiring) { return }
      Task { [body] in await body() }
    }

    /// Records that the response was written.
    func end() { isSent.store(true, ordering: .releasing) }
  }
#endif
