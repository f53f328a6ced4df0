import LuaRuntime

extension Value {
  /// The encoded value, as it is stored in an inbox.
  var inboxBytes: [UInt8] {
    var writer = ValueWriter()
    writer.write(self)
    return writer.bytes
  }

  /// Decodes a value; nil if it cannot be read.
  package init?(inbox bytes: [UInt8]) {
    let value = bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      return try? reader.value()
    }
    guard let value else { return nil }
    self = value
  }
}
