import FlowLanguage
import LuaRuntime

/// Work that a host will still do by itself.
///
/// ```swift
/// for item in try host.pendingWork where item.kind == .timer {
///   print(item.action, item.due ?? .zero)
/// }
/// ```
public struct PendingWork: Sendable, Hashable {
  /// A kind of work.
  public enum Kind: String, Sendable, Hashable {
    /// An action in the queue.
    case queued
    /// An action that is due later.
    case timer
    /// An action that a state postpones until it is left.
    case postponed
    /// An effect that waits: it sleeps, or a capability has not answered yet.
    case effect
  }

  /// The kind of work.
  public let kind: Kind
  /// The title in messages.
  ///
  /// It is the action's name, `leave of stage["ann"]` for a timer of a record's machine, or `effect.load` for the
  /// effect of an action.
  public let title: String
  /// The action that will be dispatched, or to which the effect belongs.
  public let action: String
  /// The action's payload, checked.
  public let payload: Value
  /// The revision of the commit that led to it; 0 for a timer set when the host began.
  public let cause: Int
  /// The state that postpones it, such as `desk.busy`.
  public var postponedIn: String?
  /// The time at which it is due, since the host began.
  ///
  /// It is nil for queued or postponed work, and for an effect that does not sleep.
  public let due: Duration?
  /// The payload with dots in place of secrets; nil if it has none.
  package var shown: Value?

  /// The time at which it is due, in seconds since the host began.
  package var dueSeconds: Double? { due.map { EngineTime.seconds(EngineTime.microseconds($0)) } }
}

extension PendingWork {
  /// The title with the payload, if that is not empty: `close { id = 1 }`.
  package var call: String {
    let payload = shown ?? payload
    return payload.isEmptyTable ? title : "\(title) \(payload.text(limit: 200))"
  }
}

extension PendingWork: CustomStringConvertible {
  /// A description such as `close is due at 30 s`.
  public var description: String {
    switch kind {
    case .queued: "\(title) is queued (by #\(cause))"
    case .timer: "\(title) is due at \(DurationText.text(dueSeconds ?? 0))"
    case .postponed:
      "\(title) is postponed until \(postponedIn ?? "its state") is left (by #\(cause))"
    case .effect: "\(title) waits (#\(cause))"
    }
  }
}

extension PendingWork {
  /// Creates the work as another node has described it.
  package init(
    _ kind: Kind, title: String, action: String, payload: Value, cause: Int, due: Duration?,
    postponedIn: String?, shown: Value?
  ) {
    self.init(
      kind: kind, title: title, action: action, payload: payload, cause: cause,
      postponedIn: postponedIn, due: due, shown: shown)
  }

  /// Returns the work with its secrets hidden.
  func shown(_ flow: Flow) -> PendingWork {
    var pendingWork = self
    pendingWork.shown = flow.shown(payload, of: action)
    return pendingWork
  }

  init(
    _ kind: Kind, _ action: QueuedAction, of owner: PendingTimer.Owner = .nobody, due: Duration?
  ) {
    var title = action.name
    // The title of a timed transition already names its record.
    if case .state(let active) = owner, !active.keys.isEmpty, action.transition == nil {
      title += " of \(active.owner)"
    }
    self.init(
      kind: kind, title: title, action: action.name, payload: action.payload,
      cause: action.cause.revision, due: due)
  }

  init(_ running: RunningEffects.Running, due: Duration?) {
    self.init(
      kind: .effect, title: running.title, action: running.commit.action,
      payload: running.commit.payload, cause: running.cause.revision, due: due)
  }
}
