/// The causes of a queued action.
///
/// They are the commit whose effect or timer dispatched it; for each option of a gatekeeper the newest passage that the
/// chain of causes took; and for each scope the newest instance in which the chain ran or that it opened.
///
/// Gatekeepers and scopes are identified by name, so that a chain survives a reload that moves their declarations.
/// Names that no longer exist are ignored.
package struct Cause: Hashable, Sendable {
  /// The revision of the commit that caused the action directly.
  package let revision: Int
  /// The numbers of passages, by option.
  package var passages: [GatekeeperOption: Int] = [:]
  /// The numbers of scope instances, by scope.
  package var scopeInstances: [String: Int] = [:]
}

extension Cause {
  /// Creates the cause of the actions that follow from a commit.
  ///
  /// It has the passages that the commit took, and those of the commit's own cause.
  package init(
    of revision: Int, _ cause: Cause?, _ taken: [(option: GatekeeperOption, number: Int)]?
  ) {
    self.init(revision: revision, passages: cause?.passages ?? [:])
    for (option, number) in taken ?? [] { passages[option] = number }
  }

  /// Returns this cause with other numbers of scope instances.
  func renumbered(_ renumbering: Renumbering) -> Cause {
    var cause = self
    cause.scopeInstances = scopeInstances.mapValues { renumbering.instances[$0] ?? $0 }
    return cause
  }
}

/// New numbers of scope instances, after a move along the history has opened scopes again.
struct Renumbering {
  /// The new numbers, by the old ones.
  package var instances: [Int: Int] = [:]
}
