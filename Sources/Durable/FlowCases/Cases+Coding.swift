import FlowHosting
import FlowKernel
import LuaRuntime

/// Creation of cases whose given parts are Swift types.
extension Cases {
  /// Creates a case that begins with a part of the state of a Swift type.
  ///
  /// ```swift
  /// try await orders.create("o-17", given: Basket(items: items), key: requestID)
  /// ```
  ///
  /// - Throws: as `create(_:given:key:)` with a plain value; `DispatchFailure` of the kind `payload` if the part
  ///   cannot be encoded.
  @_disfavoredOverload @discardableResult
  public func create(
    _ id: String, given: some Encodable, key: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Case {
    let part = try Result<Value, DispatchFailure>(encoding: given, for: "given").get()
    return try await create(id, given: part, key: key)
  }

  /// Creates a case that begins with fields of several Swift types.
  ///
  /// - Throws: as `create(_:given:key:)` with a plain value; `DispatchFailure` of the kind `payload` if a field
  ///   cannot be encoded.
  @_disfavoredOverload @discardableResult
  public func create(
    _ id: String, given: KeyValuePairs<String, any Encodable>, key: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Case {
    try await create(id, given: WrittenPayload(fields: given), key: key, isolation: isolation)
  }
}
