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
/// A host has the same methods without `async` for synchronous code. In generic code its dispatches, `settle`, scopes,
/// views, state, status, clock and time travel block no thread; its other members, such as properties and
/// subscriptions, block their thread while another call has the host.
public protocol FlowInstance: Sendable {
  /// The type of a scope that was opened with `open(_:with:)`.
  associatedtype OpenedScope: FlowScopeInstance

  /// The name of the instance: a host's id, or a case's.
  var id: String { get }

  /// The name of the flow's file, as messages show it.
  var name: String { get }

  // MARK: Dispatching

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

  /// Runs the queued actions.
  ///
  /// - Returns: the work that is still pending, as `pendingWork` lists it.
  /// - Throws: as `dispatch(_:_:by:)`.
  @discardableResult
  func settle() async throws -> [PendingWork]

  /// Opens a scope that the host declared, until it or its parent scope is closed.
  ///
  /// - Returns: the scope instance, which closes it, and through which actions are dispatched with just this key.
  /// - Throws: `HostError` if the scope was not declared, it is already open with an equal key, or its parent
  ///   scope is locked; as `dispatch(_:_:by:)`.
  func open<Key>(_ scope: KeyedScope<Key>, with key: Key) async throws -> OpenedScope

  // MARK: Reading

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

  /// The state of every machine, by the machine's name.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  var machines: [String: String] { get async throws }

  /// Returns the state of a machine, or nil if the flow does not declare it.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  func machine(_ name: String) async throws -> String?

  /// The passages that gatekeepers hold, in the order of declaration and of options.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  var passages: [HeldPassage] { get async throws }

  /// The open scopes, root first and parents before their children.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  var openScopes: [ScopeInstanceStatus] { get async throws }

  /// The work that follows by itself: queued actions, then timers in the order in which they are due, then
  /// effects that wait for an answer.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  var pendingWork: [PendingWork] { get async throws }

  /// The current revision: the number of commits so far.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  var revision: Int { get async throws }

  /// The time on the flow's own clock, since the host began or the case was born.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  var elapsed: Duration { get async throws }

  /// The latest commits that are in memory, oldest first.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  var commits: [Commit] { get async throws }

  /// Returns the number of times that a view has been computed.
  ///
  /// - Throws: as `view(_:fresh:)`.
  func recomputations(of name: String) async throws -> Int

  /// The number of instructions that the flow has used so far, as its limits count them.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  var instructionsUsed: Int { get async throws }

  // MARK: Observing

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

  /// Calls `handler` with the view's value now and whenever it changes, for as long as `owner` lives.
  ///
  /// - Returns: the subscription, by which it can be cancelled earlier.
  /// - Throws: as `subscribe(_:_:)`.
  @discardableResult
  func subscribe<Owner: AnyObject & Sendable>(
    _ name: String, owner: Owner,
    _ handler: @escaping @Sendable (Owner, Result<Value, ViewError>) -> Void
  ) async throws -> ViewSubscription

  /// Calls `handler` with the view's value as a Swift type, now and whenever it changes.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: as `subscribe(_:_:)`.
  func subscribe<Element: Decodable & Sendable>(
    _ name: String, as type: Element.Type,
    _ handler: @escaping @Sendable (Result<Element, ViewError>) -> Void
  ) async throws -> ViewSubscription

  /// Calls `handler` with the view's value as a Swift type, now and whenever it changes, for as long as `owner` lives.
  ///
  /// - Returns: the subscription, by which it can be cancelled earlier.
  /// - Throws: as `subscribe(_:_:)`.
  @discardableResult
  func subscribe<Element: Decodable & Sendable, Owner: AnyObject & Sendable>(
    _ name: String, as type: Element.Type, owner: Owner,
    _ handler: @escaping @Sendable (Owner, Result<Element, ViewError>) -> Void
  ) async throws -> ViewSubscription

  /// Calls `handler` with every commit from now on, in order.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: as `dispatch(_:_:by:)`.
  func observe(_ handler: @escaping @Sendable (Commit) -> Void) async throws -> ViewSubscription

  /// Calls `handler` with every commit from now on, in order, for as long as `owner` lives.
  ///
  /// - Returns: the subscription, by which it can be cancelled earlier.
  /// - Throws: as `dispatch(_:_:by:)`.
  @discardableResult
  func observe<Owner: AnyObject & Sendable>(
    owner: Owner, _ handler: @escaping @Sendable (Owner, Commit) -> Void
  ) async throws -> ViewSubscription

  // MARK: Time and history

  /// Advances a virtual clock; timers that fall due fire in order.
  ///
  /// - Throws: `HostError` if the clock is real, or the duration is negative; as `dispatch(_:_:by:)`.
  func advance(_ duration: Duration) async throws

  /// Goes to a revision that the history holds: restores state, machines, gatekeepers, clock and timers.
  ///
  /// - Throws: `HistoryError` if it is out of reach; `DispatchFailure` if a limit was reached; as
  ///   `dispatch(_:_:by:)`.
  func go(to revision: Int) async throws

  /// Goes back by `count` commits.
  ///
  /// - Throws: as `go(to:)`.
  func undo(_ count: Int) async throws

  /// Goes forward again by `count` commits that were undone.
  ///
  /// - Throws: as `go(to:)`.
  func redo(_ count: Int) async throws

  /// Returns a snapshot, from which a host can be restored.
  ///
  /// - Throws: `ScriptError` if there is not enough memory; as `dispatch(_:_:by:)`.
  func snapshot() async throws -> Snapshot

  /// The input from outside so far; nil unless `HostOptions.keepsTranscript` is true.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  var transcript: Transcript? { get async throws }

  /// Replays a transcript to its end on a host or a case that has just begun; no capability is called.
  ///
  /// - Returns: the first difference, where the flow behaves otherwise than recorded; nil if there is none.
  /// - Throws: `HostError` if something has happened already, the seed is another or the clock is real; as
  ///   `dispatch(_:_:by:)`.
  func replay(_ transcript: Transcript) async throws -> Transcript.Difference?
}
