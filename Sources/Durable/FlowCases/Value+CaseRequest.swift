import LuaRuntime

extension Value {
  /// As it lies in an inbox.
  var inboxBytes: [UInt8] {
    var writer = ValueWriter()
    writer.write(self)
    return writer.bytes
  }

  /// Nil where it cannot be read.
  package init?(inbox bytes: [UInt8]) {
    let value = bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      return try? reader.value()
    }
    guard let value else { return nil }
    self = value
  }
}
