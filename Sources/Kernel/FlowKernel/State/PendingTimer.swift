import LuaRuntime

/// A state that a machine is in, identified by names, which remain valid after a reload.
package struct ActiveState: Hashable, Sendable {
  package let machine: String
  /// The state's path in the machine.
  package let state: String
  /// The keys of the record that has the machine; empty for a machine of the state.
  package let keys: [Value]

  package init(machine: String, state: String, keys: [Value] = []) {
    (self.machine, self.state, self.keys) = (machine, state, keys)
  }

  /// The title, such as `call.ringing`, or `stage["ann"].waiting` for a record.
  package var title: String { state.isEmpty ? owner : "\(owner).\(state)" }

  /// The machine, with the keys of its record.
  package var owner: String { machine + keys.map { "[\($0)]" }.joined() }
}

/// A timer that is due later.
///
/// It is an object, which the timers and the history share.
package final class PendingTimer: Sendable {
  /// The event of a timer that is due.
  package enum Event: Hashable, Sendable {
    case action(QueuedAction)
    /// The effect of that number resumes.
    case wake(Int)
    /// The effect of a state begins.
    case begin(ActiveState)
  }

  /// The owner of a timer, whose end stops the timer.
  package enum Owner: Hashable, Sendable {
    /// A state that has the timer itself.
    case state(ActiveState)
    /// A state whose effect has set the timer.
    case stateEffect(ActiveState)
    /// A state that postpones the action until it is left.
    case postponed(ActiveState)
    case instance(Int)
    case effect(Int)
    case nobody
  }

  /// The due time in microseconds since the host began; `EngineTime.never` if it waits for something other than time.
  package let due: Int
  /// Its identity; of timers due at the same time, the lower number comes first.
  package let number: Int
  package let event: Event
  package let owner: Owner
  /// The interval of a repeating timer in microseconds; nil if it fires once.
  package let every: Int?

  package init(due: Int, number: Int, event: Event, owner: Owner, every: Int? = nil) {
    (self.due, self.number, self.event, self.owner) = (due, number, event, owner)
    self.every = every
  }

  /// Returns the remaining time in microseconds; `EngineTime.never` stays unchanged.
  func remaining(at now: Int) -> Int { due == EngineTime.never ? due : due - now }

  /// The action that is due; nil for an effect that sleeps.
  package var action: QueuedAction? {
    if case .action(let queued) = event { queued } else { nil }
  }

  /// The approximate size, in bytes.
  package var size: Int { 200 + (action?.size ?? 0) }

  /// Returns the timer with another owner and action.
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

  /// Hashes the properties in which timers usually differ.
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

/// An action in the queue, whose payload has been checked.
package struct QueuedAction: Hashable, Sendable {
  /// The action's name, or the title of a timed transition.
  package let name: String
  package let payload: Value
  package let cause: Cause
  /// The number of a timed transition among those of its state, if one is taken instead of an action.
  package let transition: Int?
  /// The name of the sender of an action that was postponed; nil if it was not given.
  package let by: String?

  package init(
    name: String, payload: Value, cause: Cause, transition: Int? = nil, by: String? = nil
  ) {
    (self.name, self.payload, self.cause, self.transition) = (name, payload, cause, transition)
    self.by = by
  }

  /// Returns the action with another name, payload or cause.
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

  /// The approximate size, in bytes.
  package var size: Int {
    200 + 64 * (cause.passages.count + cause.scopeInstances.count) + payload.size
  }
}
