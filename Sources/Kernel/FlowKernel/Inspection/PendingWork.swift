import FlowLanguage
import LuaRuntime

/// Something that a host is still to do by itself.
///
/// ```swift
/// for item in try host.pendingWork where item.kind == .timer {
///   print(item.action, item.due ?? .zero)
/// }
/// ```
public struct PendingWork: Sendable, Hashable {
  /// What it is.
  public enum Kind: Sendable, Hashable {
    /// An action that waits for its turn.
    case queued
    /// An action that is due later.
    case timer
    /// An action that a state postpones until it is left.
    case postponed
    /// An effect that waits: it sleeps, or a capability has not answered yet.
    case effect
  }

  /// What it is.
  public let kind: Kind
  /// What messages call it: the action's name, `leave of stage["ann"]` for a timer of a record's machine, or
  /// `effect.load` for the effect of an action.
  public let title: String
  /// The action that is to be dispatched, or whose effect it is.
  public let action: String
  /// The action's payload, checked.
  public let payload: Value
  /// The revision of the transition that led to it: 0 for a timer of the beginning.
  public let cause: Int
  /// The state that postpones it, such as `desk.busy`.
  public var postponedIn: String?
  /// When it is due, since the host began; nil for what is queued or postponed, and for an effect that does not
  /// sleep.
  public let due: Duration?
  /// The payload with dots in place of what is not shown, where there is any.
  package var shown: Value?

  /// The same in seconds.
  public var dueSeconds: Double? { due.map { EngineTime.seconds(EngineTime.microseconds($0)) } }
}

extension PendingWork {
  /// What it is with its payload, if that has anything: `close { id = 1 }`.
  package var call: String {
    let payload = shown ?? payload
    return payload.isEmptyTable ? title : "\(title) \(payload.text(limit: 200))"
  }
}

extension PendingWork: CustomStringConvertible {
  /// `close is due at 30.0`.
  public var description: String {
    switch kind {
    case .queued: "\(title) is queued (by #\(cause))"
    case .timer: "\(title) is due at \(dueSeconds ?? 0)"
    case .postponed:
      "\(title) is postponed until \(postponedIn ?? "its state") is left (by #\(cause))"
    case .effect: "\(title) waits (#\(cause))"
    }
  }
}

extension PendingWork {
  /// The same as it may be shown.
  func shown(_ flow: Flow) -> PendingWork {
    var pendingWork = self
    pendingWork.shown = flow.shown(payload, of: action)
    return pendingWork
  }

  init(
    _ kind: Kind, _ action: QueuedAction, of owner: PendingTimer.Owner = .nobody, due: Duration?
  ) {
    var title = action.name
    // What messages call a timed way says of itself whose it is.
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
