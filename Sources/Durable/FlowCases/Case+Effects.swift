import FlowHosting
import FlowKernel
import LuaRuntime

extension Case {
  /// Returns the effects of the case: what each waits for and since when, its failed attempts, and why others failed.
  ///
  /// A sleeping case is not activated: its effects are read from the journal. If another node holds the case,
  /// plain effects are shown with what they waited for at the last entry.
  ///
  /// ```swift
  /// for effect in try await orders["o-17"].effects().underWay { print(effect.title, effect.activity) }
  /// ```
  ///
  /// - Parameter limit: the greatest number of failed effects that are returned.
  /// - Throws: `JournalError` if there is no such case or it cannot be read.
  public func effects(failed limit: Int = 20) async throws -> CaseEffects {
    guard let summary = try await summary() else { throw AppendPosition.unknown(id) }
    var (epoch, underWay): (Int, [EffectStatus]) = (summary.born, [])
    if summary.ended != nil {
      // Nothing is running, and earlier entries may be erased.
    } else if let live = try await liveEffects() {
      (epoch, underWay) = live
    } else {
      let work = try await CaseTimeline(of: id, in: cases).currentWork(at: summary.seq)
      (epoch, underWay) = (work.epoch, work.effects)
    }
    return CaseEffects(
      wallAtZero: epoch, underWay: underWay,
      failed: try await failedEffects(upTo: summary.seq, limit: limit))
  }

  /// Returns the effects of a case that is awake on this node; nil if it is not.
  private func liveEffects() async throws -> (epoch: Int, effects: [EffectStatus])? {
    do {
      return try await cases.useIfAwake(id) { host in
        let effects = try await host.useWhenFree {
          (epoch: $0.caseState.clock.epoch, effects: $0.effectStatus)
        }
        try await expectRight(of: host)
        return effects
      }
    } catch let error as JournalError where error.kind == .fenced {
      return nil
    }
  }

  /// The number of entries that are searched for failed effects, and the number that are read at once.
  private static let mostLookedThrough = 2_000
  private static let page = 200

  /// Returns the effects that failed in entries up to one, the latest first.
  package func failedEffects(upTo last: Int, limit: Int) async throws -> [CaseEffects.Failed] {
    var failed: [CaseEffects.Failed] = []
    var end = last
    while end > 0, failed.count < limit, last - end < Case.mostLookedThrough {
      let from = max(1, end - Case.page + 1)
      let entries = try await page(from: from, limit: end - from + 1)
      for entry in entries.reversed() where entry.seq <= end {
        for failure in try entry.contents().effectsFailed.reversed() {
          failed.append(CaseEffects.Failed(seq: entry.seq, wall: entry.wall, failure: failure))
        }
      }
      end = from - 1
    }
    return Array(failed.prefix(limit))
  }
}
