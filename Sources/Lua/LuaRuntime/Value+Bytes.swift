extension Value {
  /// The value, encoded.
  package var encoded: [UInt8] {
    var writer = ValueWriter()
    writer.write(self)
    return writer.bytes
  }

  /// Decodes a value; nil if the bytes are none.
  package init?(encoded bytes: [UInt8]) {
    let value = bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      return try? reader.value()
    }
    guard let value else { return nil }
    self = value
  }
}
