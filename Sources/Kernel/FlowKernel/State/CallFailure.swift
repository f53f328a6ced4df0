import LuaRuntime

/// The failure of a call that was performed outside of the process, as the flow sees it.
public struct CallFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text of the error that is raised at the call, such as `charge: 402 card_declined`.
  public let message: String
  /// True if another try would fail, too: `retry` stops, unless its `only` decides otherwise.
  public let isFinal: Bool
  /// The status of the HTTP response, or the exit code of the command; nil if there was none.
  public let status: Int?
  /// The number of seconds after which another try makes sense; nil if unknown.
  public let after: Double?

  /// Makes a failure.
  public init(message: String, isFinal: Bool, status: Int? = nil, after: Double? = nil) {
    (self.message, self.isFinal, self.status, self.after) = (message, isFinal, status, after)
  }

  /// Returns true if an error's text is the message of this failure, with nothing but positions in front of it.
  ///
  /// `error` adds the position of the code that raises, such as `order.lua:12: `. Another text is another error.
  func isRaised(as text: String) -> Bool {
    let (text, own) = (Array(text.utf8), Array(message.utf8))
    guard text.count >= own.count, text[(text.count - own.count)...].elementsEqual(own) else {
      return false
    }
    var rest = text[..<(text.count - own.count)]
    while !rest.isEmpty {
      guard let end = CallFailure.endOfPosition(in: rest) else { return false }
      rest = rest[end...]
    }
    return true
  }

  /// Returns the index behind a position such as `order.lua:12: ` at the beginning of a text; nil if there is none.
  private static func endOfPosition(in text: ArraySlice<UInt8>) -> Int? {
    let (colon, blank) = (UInt8(ascii: ":"), UInt8(ascii: " "))
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    for index in text.indices.dropLast() where text[index] == colon && text[index + 1] == blank {
      var line = index
      while line > text.startIndex, digits.contains(text[line - 1]) { line -= 1 }
      let isPosition = line < index && line > text.startIndex && text[line - 1] == colon
      return isPosition ? index + 2 : nil
    }
    return nil
  }

  /// The message.
  public var description: String { message }

  /// The properties that the function `only` of a `retry` gets.
  package var record: Value {
    var fields: [String: Value] = ["final": .boolean(isFinal)]
    if let status { fields["status"] = .integer(status) }
    if let after { fields["after"] = .number(after) }
    return .record(fields)
  }

  /// Makes a failure from its message and the record of its properties; nil if the record has no `final`.
  init?(message: String, record: Value) {
    guard case .boolean(let isFinal)? = record["final"] else { return nil }
    self.init(
      message: message, isFinal: isFinal, status: record["status"]?.integerValue,
      after: record["after"]?.doubleValue)
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
