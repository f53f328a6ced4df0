// The parts of a gatekeeper in an agent that both kinds share.

extension Agent {
  /// The revision that the current change will have.
  ///
  /// For closures of this agent only.
  var nextRevision: Int { commits.load(ordering: .relaxed) + 1 }

  /// Ends a passage now, or by a cast if this thread cannot wait.
  func finish<Options: Sendable>(
    _ passage: Passage, _ end: @escaping @Sendable (inout Gatekeeper<Options>) -> Bool
  ) -> Bool where State == Gatekeeper<Options> {
    do {
      try update { gatekeeper in
        if !end(&gatekeeper) { throw Unchanged() }
      }
      return true
    } catch is AgentError {
      return (try? cast { gatekeeper in _ = end(&gatekeeper) }) != nil
    } catch {
      return false
    }
  }
}

extension Agent {
  /// Ends a passage without waiting; every later call to the agent finds it ended.
  func endSoon<Options: Sendable>(
    _ passage: Passage, _ end: @escaping @Sendable (inout Gatekeeper<Options>) -> Bool
  ) where State == Gatekeeper<Options> {
    do throws(AgentError) {
      try cast { gatekeeper in _ = end(&gatekeeper) }
    } catch {
      _ = finish(passage, end)
    }
  }
}

/// An error that rolls back a change without effect, so that it adds no revision.
struct Unchanged: Error {}
