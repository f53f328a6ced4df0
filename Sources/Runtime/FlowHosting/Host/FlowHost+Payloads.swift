import FlowKernel
import LuaRuntime

/// Payloads that are written at their dispatch, with fields of several Swift types, in synchronous code.
///
/// `FlowInstance` has the calls that block no thread.
extension FlowHost {
  /// Dispatches an action with a payload whose fields are of several Swift types, and runs what its effects dispatch.
  ///
  /// ```swift
  /// try host.dispatch("add", ["name": name, "price": price])
  /// ```
  ///
  /// A field that cannot be encoded, or that occurs twice, is a failure of kind `payload`.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>, by who: String? = nil
  ) throws -> Outcome {
    try dispatch(action, WrittenPayload(fields: payload), by: who)
  }

  /// Dispatches an action with a payload whose fields are of several Swift types once: a second dispatch with
  /// the same key returns the answer to the first.
  ///
  /// - Throws: as `dispatch(_:_:key:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>, key: String,
    by who: String? = nil
  ) throws -> Outcome {
    try dispatch(action, WrittenPayload(fields: payload), key: key, by: who)
  }

  /// Returns whether an action may pass now with a payload whose fields are of several Swift types, and if not, why.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @_disfavoredOverload
  public func may(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>, by who: String? = nil
  ) throws -> Permission {
    try may(action, WrittenPayload(fields: payload), by: who)
  }

  /// Dispatches actions with payloads of Swift types one after the other in one turn, as `dispatch(batch:)`
  /// with plain payloads does.
  ///
  /// ```swift
  /// let outcomes = try host.dispatch(batch: coins.map { ("coin", $0) })
  /// ```
  ///
  /// A payload that cannot be encoded is a failure of kind `payload`, and does not stop the others.
  ///
  /// - Returns: the outcomes, in the order of the actions.
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    batch actions: [(action: String, payload: any Encodable)]
  ) throws -> [Outcome] {
    let dispatches = actions.map { action, payload in
      (action, Result<Value, DispatchFailure>(encoding: payload, for: action))
    }
    return try use { engine in
      dispatches.map { action, payload in
        switch payload {
        case .success(let value): engine.dispatchAndSettle(action, value)
        case .failure(let failure): .failed(failure)
        }
      }
    }
  }

  /// Dispatches actions with payloads whose fields are of several Swift types one after the other in one turn.
  ///
  /// ```swift
  /// try host.dispatch(batch: [("add", ["name": name, "price": price]), ("pay", [:])])
  /// ```
  ///
  /// - Returns: the outcomes, in the order of the actions.
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    batch actions: [(action: String, payload: KeyValuePairs<String, any Encodable>)]
  ) throws -> [Outcome] {
    try dispatch(batch: actions.map { ($0.action, WrittenPayload(fields: $0.payload)) })
  }
}

/// A payload as it was written at its dispatch.
package struct WrittenPayload: Encodable {
  private let fields: KeyValuePairs<String, any Encodable>

  package init(fields: KeyValuePairs<String, any Encodable>) { self.fields = fields }

  package func encode(to encoder: any Encoder) throws {
    var record = encoder.container(keyedBy: PlaceKey.self)
    var names: Set<String> = []
    for (name, field) in fields {
      let key = PlaceKey(stringValue: name)
      guard names.insert(name).inserted else {
        throw EncodingError.invalidValue(
          field, .init(codingPath: [key], debugDescription: "the field is given twice"))
      }
      try record.encode(field, forKey: key)
    }
  }
}
