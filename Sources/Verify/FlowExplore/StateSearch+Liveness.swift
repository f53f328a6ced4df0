import CExplore
import LuaRuntime
import Moonlatch

/// What must come about at some time.
extension StateSearch {
  /// A run without end in which a promise is never kept.
  struct Lasso {
    typealias Step = (state: UInt32, trie: UInt32, next: UInt32)

    /// Where it begins.
    let begin: UInt32
    /// The way to the loop, and once round it.
    let steps: [Step]
    /// How many of these are the loop; none, where the run stays for ever.
    let loop: Int

    var sentence: String {
      switch loop {
      case 0: "it may stay there for ever"
      case 1: "the last step can be taken for ever"
      default: "the last \(loop) steps can be gone round for ever"
      }
    }
  }

  /// A run that breaks a promise; nil where there is none in what was gone through.
  ///
  /// - Throws: `ExplorationError` where memory is short.
  func lasso(breaking property: Property, _ number: Int) throws(ExplorationError) -> Lasso? {
    let groups = property.fair.map { name in
      asked.indices.filter {
        switch asked[$0] {
        case .move(.action(name, _)): true
        case .move(.time): name == Property.timePasses
        case .end: name == Property.effectsEnd
        default: false
        }
      }.map { UInt32($0) }
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
    if let error { throw error }
    try ExplorationError.check(status)
    if lasso.is_kept { return nil }
    var steps: [Lasso.Step] = []
    var at = lasso.begin
    for step in UnsafeBufferPointer(start: lasso.steps, count: Int(lasso.stem + lasso.loop)) {
      steps.append((at, step.mover, step.state))
      at = step.state
    }
    return Lasso(begin: lasso.begin, steps: steps, loop: Int(lasso.loop))
  }

  private func trie(where isMeant: (Asked) -> Bool) -> UInt32 {
    asked.firstIndex(where: isMeant).map { UInt32($0) } ?? EXPLORE_NONE
  }
}
