import LuaRuntime

extension Value {
  /// The plain value of what is Encodable, as a payload's.
  @_spi(Benchmarks) public init(encoding value: some Encodable) throws {
    self = try ValueEncoder.encode(value)
  }

  /// The value as a Swift type, as a view's.
  @_spi(Benchmarks) public func decoded<Result: Decodable>(
    as type: Result.Type
  ) throws -> Result {
    try ValueDecoder.decode(type, from: self)
  }

  /// The value after it was written as the bytes that cross to Lua, and read from them.
  @_spi(Benchmarks) public func throughBytes() throws -> Value {
    var writer = ValueWriter()
    writer.write(self)
    return try writer.bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      return try reader.value()
    }
  }
}
