import FlowHosting
import FlowKernel
import JournalRows
import Platform

/// The connection on which a journal reads, so that reads do not wait for writes.
final class ReadSide: Sendable {
  private enum State {
    case closed
    case open(Connection)
    /// After a failure, until it is known what is on the disk.
    case held
    case ended
  }

  private let path: String
  private let state = Monitor(State.closed)

  init(path: String) { self.path = path }

  /// Runs `body` with the connection, one call at a time.
  ///
  /// - Parameter mend: asks the writer to find out what is on the disk.
  func read<T>(
    mend: () throws(JournalError) -> Void = {}, _ body: (CaseReads) throws(JournalError) -> T
  ) throws(JournalError) -> T {
    while isHeld { try mend() }
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
    case .ended: throw AppendPosition.closed(path)
    case .held:
      throw JournalError(.failed, "\(path): the disk has just failed: try again.")
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

  private var isHeld: Bool {
    state.with { if case .held = $0 { true } else { false } }
  }

  /// Closes the connection and refuses reads until `release`, because the contents of the log may not be on the disk.
  func hold() {
    state.with { state in
      Self.drop(&state)
      state = .held
    }
  }

  /// Allows reads again.
  func release() {
    state.with { if case .held = $0 { $0 = .closed } }
  }

  /// Closes the connection for good.
  func close() {
    state.with { state in
      Self.drop(&state)
      state = .ended
    }
  }
}
