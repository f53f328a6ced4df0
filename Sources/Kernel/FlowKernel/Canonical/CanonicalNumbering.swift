import FlowLanguage
import StateBlocks

/// A mapping between the numbers in a case's state and those of its canonical form.
struct CanonicalNumbering {
  private let passages: HeldPassages
  /// The positions of the scopes of keyed scope instances, by instance, from 1 for root; nil if root is the only scope.
  private let positions: [Int: Int]?
  private let instances: [Int: Int]

  package init(of caseState: CaseState, in flow: Flow) {
    passages = caseState.passages
    if flow.scopes.count <= 1 {
      (positions, instances) = (nil, [:])
    } else {
      let scopes = Dictionary(
        flow.scopes.enumerated().map { ($1.name, $0 + CanonicalNumbering.root) },
        uniquingKeysWith: { first, _ in first })
      let positions = Dictionary(
        caseState.scopeInstances.compactMap { instance in
          scopes[instance.scope].map { (instance.number, $0) }
        }, uniquingKeysWith: { first, _ in first })
      self.positions = positions
      instances = Dictionary(positions.map { ($1, $0) }, uniquingKeysWith: max)
    }
  }

  private func position(of instance: Int) -> Int? {
    guard let positions else {
      return instance == CaseState.ScopeInstance.root ? CanonicalNumbering.root : nil
    }
    return positions[instance]
  }

  private func instance(at position: Int) -> Int? {
    if positions != nil { return instances[position] }
    return position == CanonicalNumbering.root ? CaseState.ScopeInstance.root : nil
  }

  /// The position of the root scope.
  package static let root = 1
  private static let current = 1
  private static let stale = 0

  // MARK: To the canonical form

  private func callAsFunction(_ cause: Cause) -> Cause {
    var canonical = Cause(revision: CanonicalState.revision)
    for (option, number) in cause.passages {
      canonical.passages[option] =
        passages.number(of: option) == number
        ? CanonicalNumbering.current : CanonicalNumbering.stale
    }
    if !cause.scopeInstances.isEmpty {
      canonical.scopeInstances = cause.scopeInstances.mapValues {
        position(of: $0) ?? CanonicalNumbering.stale
      }
    }
    return canonical
  }

  private func callAsFunction(_ action: QueuedAction) -> QueuedAction {
    action.with(cause: self(action.cause))
  }

  package func callAsFunction(_ timer: PendingTimer, due: Int) -> PendingTimer {
    let owner: PendingTimer.Owner =
      switch timer.owner {
      case .state, .stateEffect, .postponed: timer.owner
      case .instance(let number): position(of: number).map { .instance($0) } ?? .nobody
      case .effect, .nobody: .nobody
      }
    return PendingTimer(
      due: due, number: 0, event: timer.action.map { .action(self($0)) } ?? timer.event,
      owner: owner, every: timer.every)
  }

  /// Returns an effect in canonical form; one that waits in an instance unlocked by hand counts as waiting in root.
  package func callAsFunction(_ effect: EffectRecord, in flow: Flow) -> ExploredEffect {
    let declared =
      effect.state == nil
      ? flow.effect(titled: effect.title, ordinal: effect.ordinal)
      : flow.stateEffects.first { $0.title == effect.title }
    return ExploredEffect(
      name: declared?.heldName ?? effect.title, title: effect.title,
      ordinal: effect.ordinal, state: effect.state,
      instance: position(of: effect.instance) ?? CanonicalNumbering.root,
      began: self(
        QueuedAction(
          name: effect.commit.action, payload: effect.commit.payload, cause: effect.cause)))
  }

  // MARK: From the canonical form

  private func inverse(_ cause: Cause) -> Cause {
    var inverse = Cause(revision: CanonicalState.revision)
    for (option, number) in cause.passages {
      let isCurrent = number == CanonicalNumbering.current
      inverse.passages[option] =
        (isCurrent ? passages.number(of: option) : nil) ?? CanonicalNumbering.stale
    }
    if !cause.scopeInstances.isEmpty {
      inverse.scopeInstances = cause.scopeInstances.mapValues {
        instance(at: $0) ?? CanonicalNumbering.stale
      }
    }
    return inverse
  }

  func inverse(_ action: QueuedAction) -> QueuedAction {
    action.with(cause: inverse(action.cause))
  }

  func inverse(_ owner: PendingTimer.Owner) -> PendingTimer.Owner {
    guard case .instance(let position) = owner else { return owner }
    return instance(at: position).map { .instance($0) } ?? .nobody
  }

  func inverse(instance: Int) -> Int { self.instance(at: instance) ?? CaseState.ScopeInstance.root }
}
