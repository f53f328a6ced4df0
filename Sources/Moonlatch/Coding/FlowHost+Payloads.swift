import LuaRuntime
import StateBlocks

/// Payloads that are written where they are dispatched, of variables of several Swift types.
extension FlowHost {
  /// Offers an action with a payload whose fields are of several Swift types, and runs what its effects
  /// dispatch.
  ///
  /// ```swift
  /// try host.dispatch("add", ["name": name, "price": price])
  /// ```
  ///
  /// A field that cannot be encoded, or that is there twice, is a failure of kind `payload`.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>
  ) throws(AgentError) -> Outcome {
    switch encoded(pairs: payload, for: action) {
    case .success(let value): try dispatch(action, value)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Whether an action may pass now with a payload whose fields are of several Swift types, and if not,
  /// why.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @_disfavoredOverload
  public func may(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>
  ) throws(AgentError) -> Permission {
    switch encoded(pairs: payload, for: action) {
    case .success(let value): try may(action, value)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Offers an action with a payload whose fields are of several Swift types, and waits until the effects
  /// that it started have ended, as `dispatchAndWait(_:_:)` with a plain payload does.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>
  ) async throws(AgentError) -> Outcome {
    switch encoded(pairs: payload, for: action) {
    case .success(let value): try await dispatchAndWait(action, value)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Offers actions with payloads of Swift types one after the other in one turn, as `dispatch(batch:)`
  /// with plain payloads does.
  ///
  /// ```swift
  /// let outcomes = try host.dispatch(batch: coins.map { ("coin", $0) })
  /// ```
  ///
  /// A payload that cannot be encoded is a failure of kind `payload`, and keeps none of the others back.
  ///
  /// - Returns: the outcomes, in the order of the actions.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    batch actions: [(action: String, payload: any Encodable)]
  ) throws(AgentError) -> [Outcome] {
    try dispatch(
      encoded: actions.map { action, payload in (action, encoded(payload, for: action)) })
  }

  /// Offers actions with payloads whose fields are of several Swift types one after the other in one turn.
  ///
  /// ```swift
  /// try host.dispatch(batch: [("add", ["name": name, "price": price]), ("pay", [:])])
  /// ```
  ///
  /// - Returns: the outcomes, in the order of the actions.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    batch actions: [(action: String, payload: KeyValuePairs<String, any Encodable>)]
  ) throws(AgentError) -> [Outcome] {
    try dispatch(encoded: actions.map { ($0.action, encoded(pairs: $0.payload, for: $0.action)) })
  }

  private func dispatch(
    encoded actions: [(action: String, payload: Result<Value, DispatchFailure>)]
  ) throws(AgentError) -> [Outcome] {
    try use { engine in
      actions.map { action, payload in
        switch payload {
        case .success(let value): engine.dispatchAndSettle(action, value)
        case .failure(let failure): .failed(failure)
        }
      }
    }
  }

  // MARK: Encoding

  func encoded(_ payload: some Encodable, for action: String) -> Result<Value, DispatchFailure> {
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

  func encoded(
    pairs payload: KeyValuePairs<String, any Encodable>, for action: String
  ) -> Result<Value, DispatchFailure> {
    encoded(WrittenPayload(fields: payload), for: action)
  }
}

/// A payload as it was written at its dispatch.
private struct WrittenPayload: Encodable {
  let fields: KeyValuePairs<String, any Encodable>

  func encode(to encoder: any Encoder) throws {
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
