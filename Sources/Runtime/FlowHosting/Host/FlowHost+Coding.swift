import FlowKernel
import LuaRuntime

/// Payloads and views as Swift types, in synchronous code.
///
/// `FlowInstance` has the calls that block no thread.
extension FlowHost {
  /// Dispatches an action with a payload of a Swift type, and runs what its effects dispatch.
  ///
  /// ```swift
  /// struct Coin: Codable { var amount: Int }
  /// try host.dispatch("coin", Coin(amount: 1))
  /// ```
  ///
  /// A payload that cannot be encoded is a failure of kind `payload`.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: some Encodable, by who: String? = nil
  ) throws -> Outcome {
    switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
    case .success(let value): try use { $0.dispatchAndSettle(action, value, by: who) }
    case .failure(let failure): .failed(failure)
    }
  }

  /// Dispatches an action with a payload of a Swift type once: a second dispatch with the same key returns the
  /// answer to the first.
  ///
  /// - Throws: as `dispatch(_:_:key:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: some Encodable, key: String, by who: String? = nil
  ) throws -> Outcome {
    switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
    case .success(let value): try dispatchOnce(action, value, key: key, by: who)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Returns whether an action may pass now with a payload of a Swift type, and if not, why.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @_disfavoredOverload
  public func may(
    _ action: String, _ payload: some Encodable, by who: String? = nil
  ) throws -> Permission {
    switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
    case .success(let value): try use { $0.may(action, value, by: who) }
    case .failure(let failure): .failed(failure)
    }
  }

  /// Returns the value of a view as a Swift type.
  ///
  /// ```swift
  /// let takings: Int = try host.view("takings")
  /// ```
  ///
  /// - Throws: as `view(_:)`; `ViewError.mismatch` if the value is not of that type.
  @_disfavoredOverload
  public func view<Result: Decodable>(
    _ name: String, as type: Result.Type = Result.self
  ) throws(ViewError) -> Result {
    try ViewError.decode(type, from: view(name), of: name)
  }

  /// Returns a copy of the whole state as a Swift type.
  ///
  /// - Throws: as `state()`; a `DecodingError` if the state is not of that type.
  public func state<Answer: Decodable>(as type: Answer.Type) throws -> Answer {
    try state().decoded(as: type)
  }

  /// Calls `handler` with the view's value as a Swift type, now and whenever it changes.
  ///
  /// A value of another type is delivered as `ViewError.mismatch`.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: as `view(_:)`.
  public func subscribe<Element: Decodable & Sendable>(
    _ name: String, as type: Element.Type,
    _ handler: @escaping @Sendable (Result<Element, ViewError>) -> Void
  ) throws(ViewError) -> ViewSubscription {
    try subscribe(name) { handler($0.decoded(of: name)) }
  }

  /// Calls `handler` with the view's value as a Swift type, now and whenever it changes, for as long as `owner` lives.
  ///
  /// ```swift
  /// try host.subscribe("count", as: Int.self, owner: label) { label, count in label.show(count) }
  /// ```
  ///
  /// Otherwise as `subscribe(_:owner:_:)` with plain values. A value of another type is delivered as
  /// `ViewError.mismatch`.
  ///
  /// - Returns: the subscription, by which it can be cancelled earlier.
  /// - Throws: as `view(_:)`.
  @discardableResult
  public func subscribe<Element: Decodable & Sendable, Owner: AnyObject & Sendable>(
    _ name: String, as type: Element.Type, owner: Owner,
    _ handler: @escaping @Sendable (Owner, Result<Element, ViewError>) -> Void
  ) throws(ViewError) -> ViewSubscription {
    try subscribe(name, owner: owner) { handler($0, $1.decoded(of: name)) }
  }
}
