import LuaRuntime

extension Value {
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
