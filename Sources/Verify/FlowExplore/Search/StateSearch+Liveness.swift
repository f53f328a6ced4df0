import CExplore
import LuaRuntime

/// Liveness: checks that something comes about in each fair run.
extension StateSearch {
  /// An infinite run that never keeps a promise: a path to a loop.
  struct Lasso {
    typealias Step = (state: UInt32, trie: UInt32, next: UInt32)

    /// The initial state.
    let begin: UInt32
    /// The path to the loop, followed by one round of the loop.
    let steps: [Step]
    /// The number of steps in the loop; 0 if the run stays in a state for ever.
    let loop: Int
    /// A fair move that changes nothing in the state in which the run stays; nil if there is none.
    var idleStep: String?

    var sentence: String {
      switch loop {
      case 0:
        "the run may stay there forever"
          + (idleStep.map { ", because \($0) can be dispatched there and changes nothing" } ?? "")
      case 1: "the last step can be repeated forever"
      default: "the last \(loop) steps can be repeated forever"
      }
    }
  }

  /// The result of the search for a run that breaks a promise.
  enum Promise {
    case isKept
    case isBroken(Lasso)
    /// A run that has not kept the promise leads out of the explored part.
    case isLeft
    /// The search was stopped.
    case isUnknown
  }

  /// Searches the explored part for a run that breaks a promise.
  ///
  /// - Throws: `ExplorationError` if the memory is exhausted or there are too many groups of fair moves.
  func promise(of property: Property, _ number: Int) throws(ExplorationError) -> Promise {
    let groups = property.fair.flatMap(movers)
    guard groups.count <= StateSearch.mostGroups else {
      throw ExplorationError(
        .setup,
        "\(property.place): \(property.title): fair has \(groups.count) conditions, and "
          + "may have at most \(StateSearch.mostGroups)")
    }
    var lasso = explore_lasso()
    defer { explore_lasso_free(&lasso) }
    let status = groups.flatMap(\.self).withUnsafeBufferPointer { movers in
      groups.map { UInt32($0.count) }.withUnsafeBufferPointer { sizes in
        var promise = explore_promise(
          when: trie { if case .when(number) = $0 { true } else { false } },
          wanted: trie { if case .property(number) = $0 { true } else { false } },
          movers: movers.baseAddress, group_sizes: sizes.baseAddress,
          group_count: UInt32(sizes.count), stays: true)
        return explore_live(search, &promise, &lasso)
      }
    }
    if status == EXPLORE_STOPPED { return .isUnknown }
    if let error { throw error }
    try ExplorationError.check(status)
    if lasso.is_kept { return lasso.leaves ? .isLeft : .isKept }
    var steps: [Lasso.Step] = []
    var at = lasso.begin
    for step in UnsafeBufferPointer(start: lasso.steps, count: Int(lasso.stem + lasso.loop)) {
      steps.append((at, step.mover, step.state))
      at = step.state
    }
    var broken = Lasso(begin: lasso.begin, steps: steps, loop: Int(lasso.loop))
    if broken.loop == 0 { broken.idleStep = idleStep(in: at, of: Set(groups.joined())) }
    return .isBroken(broken)
  }

  private func idleStep(in state: UInt32, of movers: Set<UInt32>) -> String? {
    edges(from: state).first { $0.state == state && movers.contains($0.mover) }
      .map { title($0.mover, in: state) }
  }

  /// The maximum number of groups of fair moves.
  private static let mostGroups = 64

  /// Returns the groups of movers of a fairness entry: one, or one per combination of values of its named fields.
  private func movers(of fair: Fairness) -> [[UInt32]] {
    var groups: [[Value]: [UInt32]] = [:]
    for (number, what) in asked.enumerated() {
      switch what {
      case .move(.action(fair.name, let payload)):
        guard fair.payload.allSatisfy({ payload[$0.key] ?? .nil == $0.value }) else { continue }
        groups[fair.fields.map { payload[$0] ?? .nil }, default: []].append(UInt32(number))
      case .move(.time) where fair.name == Property.timePasses,
        .end where fair.name == Property.effectsEnd:
        groups[[], default: []].append(UInt32(number))
      default: continue
      }
    }
    // Sort them by their first movers.
    return groups.values.sorted { ($0.first ?? 0) < ($1.first ?? 0) }
  }

  private func trie(where isMeant: (Asked) -> Bool) -> UInt32 {
    asked.firstIndex(where: isMeant).map { UInt32($0) } ?? EXPLORE_NONE
  }
}
