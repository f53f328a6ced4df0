import LuaRuntime

/// The failure of a call that was performed outside of the process, as the flow sees it.
public struct CallFailure: Error, Sendable, Hashable {
  /// The text of the error that is raised at the call, such as `charge: 402 card_declined`.
  public let message: String
  /// True if another try would fail, too: `retry` stops, unless its `only` decides otherwise.
  public let isFinal: Bool
  /// The status of the HTTP response; nil if there was none.
  public let status: Int?
  /// The number of seconds after which another try makes sense; nil if unknown.
  public let after: Double?

  /// Makes a failure.
  public init(message: String, isFinal: Bool, status: Int? = nil, after: Double? = nil) {
    (self.message, self.isFinal, self.status, self.after) = (message, isFinal, status, after)
  }

  /// The properties that the function `only` of a `retry` gets.
  package var record: Value {
    var fields: [String: Value] = ["final": .boolean(isFinal)]
    if let status { fields["status"] = .integer(status) }
    if let after { fields["after"] = .number(after) }
    return .record(fields)
  }
}

extension CallFailure: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(message)
    writer.write(isFinal)
    writer.write(status) { $0.writeInteger($1) }
    writer.write(after) { $0.write(.number($1)) }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    message = try reader.readText()
    isFinal = try reader.readFlag()
    status = try reader.readOptional { reader throws(ValueReader.Malformed) in
      try reader.readInteger()
    }
    after = try reader.readOptional { reader throws(ValueReader.Malformed) in
      guard let seconds = try reader.value().doubleValue else { throw ValueReader.Malformed() }
      return seconds
    }
  }
}
