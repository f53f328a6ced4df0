import FlowHosting
import FlowKernel
import LuaRuntime

extension Case {
  /// The effects of the case: what each waits for and since when, its failed attempts, and why others failed.
  ///
  /// A case that sleeps is not activated: the journal tells. Of a plain effect in a case that another node
  /// holds it tells what that waited for at the last entry.
  ///
  /// ```swift
  /// for effect in try await orders["o-17"].effects().underWay { print(effect.title, effect.activity) }
  /// ```
  ///
  /// - Parameter limit: how many effects that did not finish are told of at most.
  /// - Throws: `JournalError`, where there is no such case or it cannot be read.
  public func effects(failed limit: Int = 20) async throws -> CaseEffects {
    guard let summary = try await summary() else { throw AppendPosition.unknown(id) }
    var (epoch, underWay): (Int, [EffectStatus]) = (summary.born, [])
    if summary.ended != nil {
      // Nothing is under way, and what led there may be erased.
    } else if let live = try await liveEffects() {
      (epoch, underWay) = live
    } else {
      let work = try await CaseTimeline(of: id, in: cases).currentWork(at: summary.seq)
      (epoch, underWay) = (work.epoch, work.effects)
    }
    return CaseEffects(
      epoch: epoch, underWay: underWay,
      failed: try await failedEffects(upTo: summary.seq, limit: limit))
  }

  /// The effects of a case that is awake here; nil for another.
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

  /// So many entries are looked through for effects that failed, and so many are read at once.
  private static let mostLookedThrough = 2_000
  private static let page = 200

  /// Effects that did not finish, the latest first, of those that entries up to one tell of.
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
