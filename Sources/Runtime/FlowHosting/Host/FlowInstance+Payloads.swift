import FlowKernel
import LuaRuntime

/// Payloads that are written at their dispatch, with fields of several Swift types.
///
/// A field that cannot be encoded, or that occurs twice, is a failure of kind `payload`.
extension FlowInstance {
  /// Dispatches an action with a payload whose fields are of several Swift types, and runs what its effects dispatch.
  ///
  /// ```swift
  /// try await order.dispatch("add", ["name": name, "price": price])
  /// ```
  ///
  /// - Throws: as `dispatch(_:_:by:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>, by who: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Outcome {
    try await dispatch(
      action, WrittenPayload(fields: payload), by: who, isolation: isolation)
  }

  /// Dispatches an action with a payload whose fields are of several Swift types once: a second dispatch with
  /// the same key returns the answer to the first.
  ///
  /// - Throws: as `dispatch(_:_:key:by:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>, key: String,
    by who: String? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Outcome {
    try await dispatch(
      action, WrittenPayload(fields: payload), key: key, by: who, isolation: isolation)
  }

  /// Dispatches an action with a payload whose fields are of several Swift types, and waits until the effects
  /// that it started have ended.
  ///
  /// - Throws: as `dispatchAndWait(_:_:by:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>, by who: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Outcome {
    try await dispatchAndWait(
      action, WrittenPayload(fields: payload), by: who, isolation: isolation)
  }

  /// Dispatches actions with payloads whose fields are of several Swift types one after the other in one turn.
  ///
  /// - Throws: as `dispatch(batch:by:)` with plain payloads.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    batch actions: [(action: String, payload: KeyValuePairs<String, any Encodable>)],
    by who: String? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Outcome] {
    let written: [(action: String, payload: any Encodable)] = actions.map {
      ($0.action, WrittenPayload(fields: $0.payload))
    }
    return try await dispatch(batch: written, by: who, isolation: isolation)
  }

  /// Returns whether an action may pass now with a payload whose fields are of several Swift types, and if not, why.
  ///
  /// - Throws: as `may(_:_:by:)` with a plain payload.
  @_disfavoredOverload
  public func may(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>, by who: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Permission {
    try await may(action, WrittenPayload(fields: payload), by: who, isolation: isolation)
  }
}
