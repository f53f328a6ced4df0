import LuaRuntime

/// The outcome of a task: the answer to the call, or its failure.
package enum TaskOutcome: Sendable, Hashable {
  /// The call returns this value.
  case answer(Value)
  /// The call raises this failure.
  case failure(CallFailure)

  /// The outcome, encoded for the journal.
  package var bytes: [UInt8] {
    var writer = ValueWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Decodes an outcome; nil if the bytes are none.
  package init?(bytes: [UInt8]) {
    let read: TaskOutcome? = bytes.withUnsafeBytes { buffer in
      var reader = ValueReader(buffer)
      guard let outcome = try? TaskOutcome(from: &reader), reader.isAtEnd else { return nil }
      return outcome
    }
    guard let read else { return nil }
    self = read
  }
}

extension TaskOutcome: Stored {
  package func write(to writer: inout ValueWriter) {
    switch self {
    case .answer(let value):
      writer.write(true)
      writer.write(value)
    case .failure(let failure):
      writer.write(false)
      writer.write(failure)
    }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self = try reader.readFlag() ? .answer(try reader.value()) : .failure(try reader.read())
  }
}
