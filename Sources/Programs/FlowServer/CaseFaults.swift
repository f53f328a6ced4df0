#if Server
  import FlowKernel
  import Synchronization

  /// The errors of recent requests: cases that cannot be woken, and a journal that cannot be written.
  final class CaseFaults: Sendable {
    private struct State {
      var cases: [String: JournalError.Kind] = [:]
      var lastFull: ContinuousClock.Instant?
    }

    /// So long a full disk is believed to be full: then it is tried again.
    private static let patience = Duration.seconds(10)
    /// So many cases are told apart at most.
    private static let most = 10_000
    private let state = Mutex(State())

    /// Notes what a request to a case came to; nil for no fault of the journal's.
    func record(_ error: JournalError?, of id: String) {
      state.withLock { state in
        switch error?.kind {
        case .damaged?, .unreadable?, .unfit?, .otherFlow?:
          if state.cases.count < CaseFaults.most { state.cases[id] = error?.kind }
        case .full?: state.lastFull = .now
        case nil: if !state.cases.isEmpty { state.cases[id] = nil }
        default: break
        }
      }
    }

    /// True if there was no space for an entry within the last seconds.
    var isFull: Bool {
      state.withLock { state in
        state.lastFull.map { $0 + CaseFaults.patience > .now } ?? false
      }
    }

    /// How many cases cannot be read, and how many do not fit the flow, as far as anybody has asked for them.
    var counts: (damaged: Int, unfit: Int) {
      let kinds = state.withLock { $0.cases.values.map(\.self) }
      let unfit = kinds.count { $0 == .unfit || $0 == .otherFlow }
      return (kinds.count - unfit, unfit)
    }
  }
#endif
