#if PostgreSQL
  import FlowHosting
  import FlowKernel
  import JournalRows
  import Platform

  /// The connections on which a journal reads and activates cases, so that this does not wait for appends.
  final class PostgresReaders: Sendable {
    private struct State {
      var idle: [PostgresLink] = []
      var count = 0
      var isClosed = false
    }

    private let place: PostgresPlace
    private let isQuick: Bool
    private let state = Monitor(State())

    /// The greatest number of connections.
    private static let most = 4

    /// Makes a pool of connections.
    ///
    /// - Parameters:
    ///   - isQuick: true if writes on them need not be synced.
    ///   - first: a connection that exists already.
    init(_ place: PostgresPlace, isQuick: Bool = false, first: PostgresLink? = nil) {
      (self.place, self.isQuick) = (place, isQuick)
      guard let first else { return }
      state.with { ($0.idle, $0.count) = ([first], 1) }
    }

    /// Runs `body` with a connection of its own, and runs it again if the connection was cut meanwhile.
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
