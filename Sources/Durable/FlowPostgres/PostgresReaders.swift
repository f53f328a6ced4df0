#if PostgreSQL
  import FlowHosting
  import FlowKernel
  import JournalRows
  import Platform

  /// The connections on which a store reads, and takes cases over: what is asked does not wait for what is written.
  final class PostgresReaders: Sendable {
    private struct State {
      var idle: [PostgresLink] = []
      var count = 0
      var isClosed = false
    }

    private let place: PostgresPlace
    private let isQuick: Bool
    private let state = Monitor(State())

    /// So many are open at most.
    private static let most = 4

    /// - Parameters:
    ///   - isQuick: whether what is written there need not wait for the disk.
    ///   - first: a connection that is there already.
    init(_ place: PostgresPlace, isQuick: Bool = false, first: PostgresLink? = nil) {
      (self.place, self.isQuick) = (place, isQuick)
      guard let first else { return }
      state.with { ($0.idle, $0.count) = ([first], 1) }
    }

    /// Does something on a connection of its own; once more where it was cut meanwhile.
    func read<T>(
      _ body: (PostgresConnection) throws(JournalError) -> T
    ) throws(JournalError) -> T {
      let (place, isQuick) = (place, isQuick)
      let link = state.wait { state -> Result<PostgresLink, JournalError>? in
        if state.isClosed { return .failure(AppendPosition.closed(place.name)) }
        if let link = state.idle.popLast() { return .success(link) }
        if state.count == Self.most { return nil }
        state.count += 1
        return .success(PostgresLink(place, shards: nil, isQuick: isQuick))
      }
      let taken = try link.get()
      defer {
        state.with(waking: true) { state in
          if state.isClosed { taken.close() } else { state.idle.append(taken) }
        }
      }
      return try taken.perform(body)
    }

    func close() {
      state.with(waking: true) { state in
        state.isClosed = true
        for link in state.idle { link.close() }
        state.idle = []
      }
    }
  }
#endif
