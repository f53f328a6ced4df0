import FlowKernel
import LuaRuntime

/// Payloads that are written at their dispatch, with fields of several Swift types.
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
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>
  ) throws -> Outcome {
    try dispatch(action, WrittenPayload(fields: payload))
  }

  /// Dispatches an action with a payload whose fields are of several Swift types, and blocks no thread.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>
  ) async throws -> Outcome {
    try await dispatch(action, WrittenPayload(fields: payload))
  }

  /// Returns whether an action may pass now with a payload whose fields are of several Swift types, and if not, why.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @_disfavoredOverload
  public func may(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>
  ) throws -> Permission {
    try may(action, WrittenPayload(fields: payload))
  }

  /// Dispatches an action with a payload whose fields are of several Swift types, and waits until the effects
  /// that it started have ended, as `dispatchAndWait(_:_:)` with a plain payload does.
  ///
  /// - Throws: `AgentError` if the host was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>
  ) async throws -> Outcome {
    try await dispatchAndWait(action, WrittenPayload(fields: payload))
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
    let offered = actions.map { action, payload in (action, encoded(payload, for: action)) }
    return try use { engine in
      offered.map { action, payload in
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

  // MARK: Encoding

  package func encoded(_ payload: some Encodable, for action: String) -> Result<
    Value, DispatchFailure
  > {
    do {
      return .success(try ValueEncoder.encode(payload))
    } catch {
      let why = CodingSentence.describe(error)
      return .failure(
        DispatchFailure(
          kind: .payload, action: action,
          message: "action \(action): the payload cannot be encoded: \(why)"))
    }
  }
}

/// A payload as it was written at its dispatch.
struct WrittenPayload: Encodable {
  package let fields: KeyValuePairs<String, any Encodable>

  package func encode(to encoder: any Encoder) throws {
    var record = encoder.container(keyedBy: PlaceKey.self)
    var names: Set<String> = []
    for (name, field) in fields {
      let key = PlaceKey(stringValue: name)
      guard names.insert(name).inserted else {
        throw EncodingError.invalidValue(
          field, .init(codingPath: [key], debugDescription: "it is there twice"))
      }
      try record.encode(field, forKey: key)
    }
  }
}
