import FlowKernel
import LuaRuntime

/// The calls of an instance with fewer arguments.
extension FlowInstance {
  /// Dispatches an action on behalf of nobody.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  @discardableResult
  public func dispatch(_ action: String, _ payload: Value = [:]) async throws -> Outcome {
    try await dispatch(action, payload, by: nil)
  }

  /// Dispatches an action once, on behalf of nobody.
  ///
  /// - Throws: as `dispatch(_:_:key:by:)`.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], key: String
  ) async throws -> Outcome {
    try await dispatch(action, payload, key: key, by: nil)
  }

  /// Dispatches actions one after the other in one turn, on behalf of nobody.
  ///
  /// - Throws: as `dispatch(batch:by:)`.
  @discardableResult
  public func dispatch(
    batch actions: [(action: String, payload: Value)]
  ) async throws -> [Outcome] {
    try await dispatch(batch: actions, by: nil)
  }

  /// Dispatches an action on behalf of nobody, and waits until the effects that it started have ended.
  ///
  /// - Throws: as `dispatchAndWait(_:_:by:)`.
  @discardableResult
  public func dispatchAndWait(_ action: String, _ payload: Value = [:]) async throws -> Outcome {
    try await dispatchAndWait(action, payload, by: nil)
  }

  /// Returns whether an action may pass now if nobody in particular dispatches it, and if not, why.
  ///
  /// - Throws: as `may(_:_:by:)`.
  public func may(_ action: String, _ payload: Value = [:]) async throws -> Permission {
    try await may(action, payload, by: nil)
  }

  /// Returns the values of a view as a Swift type, of which only the newest unread one is kept.
  public func values<Element: Decodable>(
    of view: String, as type: Element.Type = Element.self
  ) -> ViewValues<Element> {
    values(of: view, as: type, buffering: .newest)
  }

  /// Returns the values of a view as plain values.
  ///
  /// - Parameters:
  ///   - view: its name.
  ///   - buffering: the treatment of values that have not been read yet; by default only the newest is kept.
  public func values(
    of view: String, buffering: ViewValues<Value>.Buffering = .newest
  ) -> ViewValues<Value> {
    values(of: view, as: Value.self, buffering: buffering)
  }
}
