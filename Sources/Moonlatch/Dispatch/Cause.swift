/// What led to a queued action: the transition whose effect or timer dispatched it, for each option
/// of a gatekeeper the newest passage that the chain of causes took, and for each scope the newest
/// opening in which the chain was at work or that it made.
struct Cause: Sendable {
  /// The revision of the transition that caused the action directly.
  let revision: Int
  /// Passages by keeper and option.
  var passages: [KeeperOption: Int] = [:]
  /// Numbers of instances by scope.
  var openings: [Int: Int] = [:]
}

extension Cause {
  /// What a transition is to those that it causes: with what its own cause has taken, and itself.
  init(of revision: Int, _ cause: Cause?, _ taken: Engine.Taken?) {
    self.init(revision: revision, passages: cause?.passages ?? [:])
    for (option, number) in taken ?? [] { passages[option] = number }
  }

  /// The same cause where instances and keepers have other numbers: what is not listed is gone.
  func carried(_ carry: Carry) -> Cause {
    var cause = self
    cause.passages = [:]
    for (option, number) in passages {
      guard let keeper = carry.keeper(option.keeper) else { continue }
      cause.passages[KeeperOption(keeper: keeper, option: option.option)] = number
    }
    cause.openings = [:]
    for (scope, instance) in openings {
      guard let now = carry.scope(scope) else { continue }
      cause.openings[now] = carry.instances[instance] ?? instance
    }
    return cause
  }
}

/// How numbers of before read now, where a history or a reload has brought something back.
struct Carry {
  /// Instances that stand open again, by their number of before.
  var instances: [Int: Int] = [:]
  var keeper: (Int) -> Int? = { $0 }
  var scope: (Int) -> Int? = { $0 }
  var owner: (Timers.Owner) -> Timers.Owner? = { _ in nil }
}

/// An option of one gatekeeper.
struct KeeperOption: Sendable, Hashable {
  let keeper: Int
  let option: String
}
