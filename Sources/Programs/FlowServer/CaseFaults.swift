#if Server
  import FlowKernel
  import Platform

  /// The journal errors of recent requests: cases that cannot be woken, and a disk that is full.
  final class CaseFaults: Sendable {
    private struct State {
      var cases: [String: JournalError.Kind] = [:]
      var lastFull: ContinuousClock.Instant?
    }

    /// The time for which a full disk is assumed to stay full.
    private static let patience = Duration.seconds(10)
    /// The maximum number of faulty cases that are recorded.
    private static let most = 10_000
    private let state = Mutex(State())

    /// Records the outcome of a request to a case; a nil error clears the fault of the case.
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

    /// True if an entry could not be stored for lack of space within the last ten seconds.
    var isFull: Bool {
      state.withLock { state in
        state.lastFull.map { $0 + CaseFaults.patience > .now } ?? false
      }
    }

    /// The numbers of cases that cannot be read and of cases that do not fit the flow, among those that were requested.
    var counts: (damaged: Int, unfit: Int) {
      let kinds = state.withLock { $0.cases.values.map(\.self) }
      let unfit = kinds.count { $0 == .unfit || $0 == .otherFlow }
      return (kinds.count - unfit, unfit)
    }
  }
#endif
