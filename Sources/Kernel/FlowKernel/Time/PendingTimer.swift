import LuaRuntime

/// A state that a machine is in, as what lasts while it does knows it: by names, which outlast a reload.
package struct ActiveState: Hashable, Sendable {
  package let machine: String
  /// The state's path in the machine.
  package let state: String
  /// Which record it is, if each has the machine.
  package let keys: [Value]

  package init(machine: String, state: String, keys: [Value] = []) {
    (self.machine, self.state, self.keys) = (machine, state, keys)
  }

  /// `call.ringing`, and of a record `stage["ann"].waiting`.
  package var title: String { state.isEmpty ? owner : "\(owner).\(state)" }

  /// The machine, and whose it is.
  package var owner: String { machine + keys.map { "[\($0)]" }.joined() }
}

/// Something that is due later.
///
/// One object, which the timers and the history share.
package final class PendingTimer: Sendable {
  /// What happens when a timer is due.
  package enum Event: Hashable, Sendable {
    case action(QueuedAction)
    /// The effect of that number goes on.
    case wake(Int)
    /// The effect of a state begins.
    case begin(ActiveState)
  }

  /// Who stops a timer by going away.
  package enum Owner: Hashable, Sendable {
    /// A state, whose own timer it is.
    case state(ActiveState)
    /// A state whose effect has set it.
    case stateEffect(ActiveState)
    /// A state that postpones the action until it is left.
    case postponed(ActiveState)
    case instance(Int)
    case effect(Int)
    case nobody
  }

  /// Microseconds since the host began; `EngineTime.never` for what waits for something else than time.
  package let due: Int
  /// Its identity; of equal times the lower number comes first.
  package let number: Int
  package let event: Event
  package let owner: Owner
  /// After how many microseconds it is due again; nil for what is due once.
  package let every: Int?

  package init(due: Int, number: Int, event: Event, owner: Owner, every: Int? = nil) {
    (self.due, self.number, self.event, self.owner) = (due, number, event, owner)
    self.every = every
  }

  /// How long it waits from now on; `EngineTime.never` stays so.
  func remaining(at now: Int) -> Int { due == EngineTime.never ? due : due - now }

  /// The action that is due; nil for an effect that sleeps.
  package var action: QueuedAction? {
    if case .action(let queued) = event { queued } else { nil }
  }

  /// The bytes that it takes, about.
  package var size: Int { 200 + (action?.size ?? 0) }

  /// The same, of somebody else.
  func owned(by owner: Owner, _ action: QueuedAction?) -> PendingTimer {
    PendingTimer(
      due: due, number: number, event: action.map(Event.action) ?? event, owner: owner,
      every: every)
  }

  func renumbered(_ renumbering: Renumbering) -> PendingTimer {
    guard let action else { return self }
    let queued = action.renumbered(renumbering)
    var owner = owner
    if case .instance(let number) = owner {
      owner = .instance(renumbering.instances[number] ?? number)
    }
    return PendingTimer(
      due: due, number: number, event: .action(queued), owner: owner, every: every)
  }
}

extension PendingTimer: Hashable {
  package static func == (one: PendingTimer, other: PendingTimer) -> Bool {
    one === other
      || (one.due, one.number, one.every) == (other.due, other.number, other.every)
        && one.owner == other.owner && one.event == other.event
  }

  /// Hashes what mostly differs between timers.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(due)
    hasher.combine(number)
    if case .state(let state) = owner, state.keys.isEmpty {
      hasher.combine(state.state)
    } else {
      hasher.combine(owner)
    }
    if let action { hasher.combine(action.payload) }
  }
}

/// An action that waits for its turn: its payload has been checked.
package struct QueuedAction: Hashable, Sendable {
  /// The action's name; what messages call a timed way.
  package let name: String
  package let payload: Value
  package let cause: Cause
  /// The timed way that is taken in place of an action: its number among those of the state whose timer
  /// it is.
  package let transition: Int?
  /// The name of who dispatched an action that was postponed, if that was said.
  package let by: String?

  package init(
    name: String, payload: Value, cause: Cause, transition: Int? = nil, by: String? = nil
  ) {
    (self.name, self.payload, self.cause, self.transition) = (name, payload, cause, transition)
    self.by = by
  }

  /// The same with another name, payload or cause.
  package func with(name: String? = nil, payload: Value? = nil, cause: Cause? = nil) -> QueuedAction
  {
    QueuedAction(
      name: name ?? self.name, payload: payload ?? self.payload, cause: cause ?? self.cause,
      transition: transition, by: by)
  }

  package func named(_ name: String) -> QueuedAction { with(name: name) }

  func renumbered(_ renumbering: Renumbering) -> QueuedAction {
    with(cause: cause.renumbered(renumbering))
  }

  /// The bytes that it takes, about.
  package var size: Int {
    200 + 64 * (cause.passages.count + cause.scopeInstances.count) + payload.size
  }
}
