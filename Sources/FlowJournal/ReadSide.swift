import Moonlatch

/// The connection on which a store reads: what is asked does not wait for what is written.
final class ReadSide: Sendable {
  private enum State {
    case closed
    case open(Connection)
    case ended
  }

  private let path: String
  private let state = Monitor(State.closed)

  init(path: String) { self.path = path }

  /// Reads, one after the other.
  func read<T>(_ body: (CaseReads) throws(JournalError) -> T) throws(JournalError) -> T {
    let result: Result<T, JournalError> = state.with { state in
      do throws(JournalError) {
        let connection = try Self.opened(&state, path)
        defer { if connection.isBroken { Self.drop(&state) } }
        return .success(try body(CaseReads(connection: connection)))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func opened(
    _ state: inout State, _ path: String
  ) throws(JournalError) -> Connection {
    switch state {
    case .open(let connection): return connection
    case .ended: throw CaseHead.closed(path)
    case .closed:
      let connection = try Schema.openToRead(path)
      state = .open(connection)
      return connection
    }
  }

  private static func drop(_ state: inout State) {
    if case .open(let connection) = state { connection.close() }
    state = .closed
  }

  /// Lets go of the connection; it is opened again when something is asked, unless it is for good.
  func close(forGood: Bool) {
    state.with { state in
      Self.drop(&state)
      if forGood { state = .ended }
    }
  }
}
