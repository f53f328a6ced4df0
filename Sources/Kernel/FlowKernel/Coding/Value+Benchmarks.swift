import LuaRuntime

extension Value {
  /// Encodes a value, as for a payload.
  @_spi(Benchmarks) public init(encoding value: some Encodable) throws {
    self = try ValueEncoder.encode(value)
  }

  /// Decodes the value as a Swift type, as for a view.
  @_spi(Benchmarks) public func decoded<Result: Decodable>(
    as type: Result.Type
  ) throws -> Result {
    try ValueDecoder.decode(type, from: self)
  }

  /// Returns the value after it was written as the bytes that cross to Lua, and read back from them.
  @_spi(Benchmarks) public func throughBytes() throws -> Value {
    var writer = ValueWriter()
    writer.write(self)
    return try writer.bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      return try reader.value()
    }
  }
}
