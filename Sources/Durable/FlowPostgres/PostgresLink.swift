#if PostgreSQL
  import FlowKernel
  import JournalRows
  import Platform

  /// A connection that is made again after it was cut.
  final class PostgresLink {
    let place: PostgresPlace
    let shards: Int?
    private var connection: PostgresConnection?

    /// The longest time to try to connect while callers wait, in milliseconds.
    static let patience = 20_000

    private let isQuick: Bool

    /// Makes a link.
    ///
    /// - Parameter isQuick: true if writes on it need not be synced.
    init(
      _ place: PostgresPlace, shards: Int?, _ connection: PostgresConnection? = nil,
      isQuick: Bool = false
    ) {
      self.isQuick = isQuick
      (self.place, self.shards, self.connection) = (place, shards, connection)
    }

    /// Returns a connection that is not known to be cut.
    func opened() throws(JournalError) -> PostgresConnection {
      if let connection, !connection.isBroken { return connection }
      close()
      let end = PostgresConnection.now + Self.patience
      var pause = 10
      while true {
        do throws(JournalError) {
          let made = try PostgresSchema.open(place, shards: shards)
          if isQuick { try made.script("SET synchronous_commit = off") }
          connection = made
          return made
        } catch {
          // A wrong setting or another version does not change by itself.
          guard error.kind == .failed, PostgresConnection.now + pause < end else { throw error }
        }
        usleep(UInt32(pause * 1_000))
        pause = min(pause * 2, 1_000)
      }
    }

    /// Runs `body`, and runs it again if the connection was cut meanwhile or a conflict occurred; it must be
    /// repeatable.
    func perform<T>(
      _ body: (PostgresConnection) throws(JournalError) -> T
    ) throws(JournalError) -> T {
      var left = 5
      while true {
        let connection = try opened()
        do throws(JournalError) { return try body(connection) } catch {
          left -= 1
          guard connection.isBroken || connection.isWorthAnother, left > 0 else { throw error }
        }
      }
    }

    func close() {
      connection?.close()
      connection = nil
    }
  }
#endif
