#if PostgreSQL
  import FlowKernel
  import JournalRows
  import Platform

  /// The committer's connection, which is made again where it was cut.
  final class PostgresLink {
    let place: PostgresPlace
    let shards: Int?
    private var connection: PostgresConnection?

    /// So long is tried until nobody is kept waiting any more, in milliseconds.
    static let patience = 20_000

    private let isQuick: Bool

    /// - Parameter isQuick: whether what is written there need not wait for the disk.
    init(
      _ place: PostgresPlace, shards: Int?, _ connection: PostgresConnection? = nil,
      isQuick: Bool = false
    ) {
      self.isQuick = isQuick
      (self.place, self.shards, self.connection) = (place, shards, connection)
    }

    /// A connection that was not cut as far as anybody knows.
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
          // What is set wrong, or of another version, does not mend itself.
          guard error.kind == .failed, PostgresConnection.now + pause < end else { throw error }
        }
        usleep(UInt32(pause * 1_000))
        pause = min(pause * 2, 1_000)
      }
    }

    /// Does something that may be done twice, once more where the connection was cut meanwhile or another was in the way.
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
