/// What led to a queued action: the transition whose effect or timer dispatched it, for each option
/// of a gatekeeper the newest passage that the chain of causes took, and for each scope the newest
/// opening in which the chain was at work or that it made.
///
/// Gatekeepers and scopes are known by name, so that a chain goes on where a reload has moved their
/// declarations. What is named here and is gone stands for nothing.
package struct Cause: Hashable, Sendable {
  /// The revision of the transition that caused the action directly.
  package let revision: Int
  /// Numbers of passages by option.
  package var passages: [GatekeeperOption: Int] = [:]
  /// Numbers of openings by scope.
  package var scopeInstances: [String: Int] = [:]
}

extension Cause {
  /// The cause that a transition is for what follows on it: the passages are those that it has taken itself, and
  /// those of its own cause.
  package init(of revision: Int, _ cause: Cause?, _ taken: Engine.Taken?) {
    self.init(revision: revision, passages: cause?.passages ?? [:])
    for (option, number) in taken ?? [] { passages[option] = number }
  }

  /// The same cause where openings have other numbers.
  func renumbered(_ renumbering: Renumbering) -> Cause {
    var cause = self
    cause.scopeInstances = scopeInstances.mapValues { renumbering.instances[$0] ?? $0 }
    return cause
  }
}

/// How numbers of openings read now, where going along the history has opened scopes again.
struct Renumbering {
  /// Openings that stand for others, by the number of those.
  package var instances: [Int: Int] = [:]
}
