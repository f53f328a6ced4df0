import FlowKernel

/// The numbers of running effects.
package struct EffectCounts: Sendable, Hashable {
  /// The number of effects that wait, for an answer or for a time.
  package private(set) var running = 0
  /// The number of running effects that wait for the next attempt of a `retry`, themselves or in a function of theirs.
  package private(set) var retrying = 0

  package init() {}

  package init(of engine: Engine) {
    if engine.effects.count == 0 { return }
    let effects = engine.caseState.effects.values
    running = effects.count
    retrying = effects.count {
      $0.waits.contains { if case .retry = $0.reason { true } else { false } }
    }
  }

  package mutating func add(_ other: EffectCounts) {
    running += other.running
    retrying += other.retrying
  }
}
