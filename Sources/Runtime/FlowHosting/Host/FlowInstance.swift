import FlowKernel
import LuaRuntime

/// A running flow: a `FlowHost`, or a `Case` of many.
///
/// Code that is written against this protocol serves both:
///
/// ```swift
/// func pay(_ order: some FlowInstance, _ payment: Payment) async throws -> Receipt {
///   try await order.dispatchAndWait("pay", payment).get()
///   return try await order.view("receipt")
/// }
/// ```
///
/// The methods with Swift types (`Encodable` payloads, `Decodable` views) are the same for both, too: each of
/// them encodes or decodes on the actor of its caller, so that types of the main actor can be used there.
/// A host has the same methods without `async` for synchronous code; in generic code its `subscribe`,
/// `observe` and `advance` block their thread while another call has the host.
public protocol FlowInstance: Sendable {
  /// The name of the instance: a host's id, or a case's.
  var id: String { get }

  /// Dispatches an action, and runs what its effects dispatch.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record; `[:]` for none.
  ///   - who: the user who asked for the action, whom `by()` returns; nil for nobody.
  /// - Throws: an error of the host or the journal. An error in the flow is an outcome, not a thrown error.
  @discardableResult
  func dispatch(_ action: String, _ payload: Value, by who: String?) async throws -> Outcome

  /// Dispatches an action once: a second dispatch with the same key returns the answer to the first.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record; `[:]` for none.
  ///   - key: chosen by the caller, one for each thing that must happen once.
  ///   - who: the user who asked for the action, whom `by()` returns; nil for nobody.
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError` if the key was given to another action or payload, or
  ///   nothing stores keys.
  @discardableResult
  func dispatch(
    _ action: String, _ payload: Value, key: String, by who: String?
  ) async throws -> Outcome

  /// Dispatches actions one after the other in one turn.
  ///
  /// - Returns: the outcomes, in the order of the actions. A rejected action does not stop the others.
  /// - Throws: as `dispatch(_:_:by:)`.
  @discardableResult
  func dispatch(
    batch actions: [(action: String, payload: Value)], by who: String?
  ) async throws -> [Outcome]

  /// Dispatches an action, and waits until the effects that it started have ended.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  @discardableResult
  func dispatchAndWait(
    _ action: String, _ payload: Value, by who: String?
  ) async throws -> Outcome

  /// Returns whether an action may pass now, and if not, why.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  func may(_ action: String, _ payload: Value, by who: String?) async throws -> Permission

  /// Returns the value of a view, and the revision at which it was computed.
  ///
  /// - Parameters:
  ///   - name: the view's name.
  ///   - fresh: true if a node of several first makes sure that it still holds the case.
  /// - Throws: `ViewError`; an error of the journal.
  func view(_ name: String, fresh: Bool) async throws -> (value: Value, asOf: Int)

  /// Returns a copy of the whole state, and its revision.
  ///
  /// - Parameter fresh: true if a node of several first makes sure that it still holds the case.
  /// - Throws: `ScriptError`; as `dispatch(_:_:by:)`.
  func state(fresh: Bool) async throws -> (value: Value, asOf: Int)

  /// Returns machines, passages, open scopes and pending work, read at one revision.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  func status() async throws -> FlowStatus

  /// Returns the values of a view as an asynchronous sequence, beginning with the present one.
  ///
  /// - Parameters:
  ///   - view: its name.
  ///   - type: the type as which each value is read.
  ///   - buffering: the treatment of values that have not been read yet.
  func values<Element: Decodable>(
    of view: String, as type: Element.Type, buffering: ViewValues<Element>.Buffering
  ) -> ViewValues<Element>

  /// Calls `handler` with the view's value now and whenever it changes.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: `ViewError` if there is no such view; an error of the journal.
  func subscribe(
    _ name: String, _ handler: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) async throws -> ViewSubscription

  /// Calls `handler` with the view's value as a Swift type, now and whenever it changes.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: as `subscribe(_:_:)`.
  func subscribe<Element: Decodable & Sendable>(
    _ name: String, as type: Element.Type,
    _ handler: @escaping @Sendable (Result<Element, ViewError>) -> Void
  ) async throws -> ViewSubscription

  /// Calls `handler` with every commit from now on, in order.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: as `dispatch(_:_:by:)`.
  func observe(_ handler: @escaping @Sendable (Commit) -> Void) async throws -> ViewSubscription

  /// Advances a virtual clock; timers that fall due fire in order.
  ///
  /// - Throws: `HostError` if the clock is real, or the duration is negative; as `dispatch(_:_:by:)`.
  func advance(_ duration: Duration) async throws
}
