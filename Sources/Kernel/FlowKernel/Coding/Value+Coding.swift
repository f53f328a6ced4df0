import LuaRuntime

extension Value {
  /// Encodes a value of a Swift type, as a payload is encoded.
  ///
  /// ```swift
  /// let payload = try Value(encoding: Item(name: "tea", price: 3.5))
  /// ```
  ///
  /// Integers stay integers, doubles become numbers, and nil is left out of a record.
  ///
  /// - Throws: the error of the type's `encode(to:)`, an `EncodingError` in most cases.
  public init(encoding value: some Encodable) throws {
    self = try ValueEncoder.encode(value)
  }

  /// Decodes the value as a Swift type, as the value of a view is decoded.
  ///
  /// ```swift
  /// let items = try host.state()["items"]?.decoded(as: [Item].self)
  /// ```
  ///
  /// - Throws: the error of the type's `init(from:)`, a `DecodingError` in most cases.
  public func decoded<Result: Decodable>(as type: Result.Type = Result.self) throws -> Result {
    try ValueDecoder.decode(type, from: self)
  }
}
