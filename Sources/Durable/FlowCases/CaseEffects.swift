import FlowHosting
import FlowKernel
import LuaRuntime

/// The effects of a case: those under way, and those that lately did not finish.
public struct CaseEffects: Sendable {
  /// An effect that did not finish, with the entry that tells of it.
  public struct Failed: Sendable, Hashable {
    /// The number of the entry.
    public let seq: Int
    /// When the entry was written, in microseconds since 1970.
    public let wall: Int
    /// Why the effect did not finish.
    public let failure: EffectFailure
  }

  /// The wall clock's time at the time 0 of the case, in microseconds since 1970: its times count from then.
  ///
  /// It is the time of its birth, unless it has gone back, has begun anew or the wall clock was set.
  public let epoch: Int
  /// The effects under way, oldest first.
  public let underWay: [EffectStatus]
  /// The effects that did not finish, latest first; only the last 2,000 entries are searched.
  public let failed: [Failed]
}

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

extension FlowHost {
  /// The effects under way, oldest first: what each waits for and since when, and its failed attempts.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public var effects: [EffectStatus] {
    get throws { try use { $0.effectStatus } }
  }
}

// MARK: As values

extension EffectStatus {
  /// The same as JSON has it: times are seconds of the case's own time, and `..._wall` microseconds since 1970.
  ///
  /// - Parameter epoch: as `CaseEffects.epoch`; nil leaves wall times out.
  package func value(epoch: Int?) -> Value {
    var fields: [String: Value] = [
      "number": .integer(number), "effect": .string(title), "action": .string(action),
      "cause": .integer(cause), "durable": .boolean(isDurable),
      "status": .string(activity.rawValue),
    ]
    fields.set("since", since, epoch)
    if !waits.isEmpty { fields["waits_for"] = .list(waits.map { $0.value(epoch: epoch) }) }
    if !attempts.isEmpty { fields["attempts"] = .list(attempts.map { $0.value(epoch: epoch) }) }
    return .record(fields)
  }
}

extension EffectStatus.Wait {
  package func value(epoch: Int?) -> Value {
    var fields: [String: Value] = [:]
    switch reason {
    case .capability(let name): fields["capability"] = .string(name)
    case .sleep(let due): fields.set("until", due, epoch)
    case .retry(let due):
      fields.set("until", due, epoch)
      fields["retries"] = true
    }
    fields.set("since", since, epoch)
    if !function.isEmpty { fields["function"] = .string(function) }
    if attempt > 0 { fields["attempt"] = .integer(attempt) }
    return .record(fields)
  }
}

extension EffectAttempt {
  package func value(epoch: Int?) -> Value {
    var fields: [String: Value] = [
      "attempt": .integer(attempt), "times": .integer(times), "error": .string(error),
    ]
    fields.set("time", time, epoch)
    return .record(fields)
  }
}

extension EffectFailure {
  package func value(epoch: Int?) -> Value {
    var fields: [String: Value] = [
      "number": .integer(number), "effect": .string(title), "action": .string(action),
      "cause": .integer(cause), "reason": .string(reason), "fault": .boolean(isFault),
    ]
    fields["handler"] = handler.map { .string($0) }
    if !attempts.isEmpty { fields["attempts"] = .list(attempts.map { $0.value(epoch: epoch) }) }
    fields.set("time", time, epoch)
    return .record(fields)
  }
}

extension CaseEffects.Failed {
  package func value(epoch: Int?) -> Value {
    guard case .record(var fields) = failure.value(epoch: epoch) else { return .nil }
    (fields["seq"], fields["written"]) = (.integer(seq), .integer(wall))
    return .record(fields)
  }
}

extension JournalEntry.Contents {
  /// The new waits of effects, in order of number.
  package func effectsWaitingValues(epoch: Int?) -> [Value] {
    effectsWaiting.sorted { $0.key < $1.key }.map { number, waits in
      ["number": .integer(number), "waits_for": .list(waits.map { $0.value(epoch: epoch) })]
    }
  }

  /// The attempts that have failed, each with its effect's number.
  package func attemptsFailedValues(epoch: Int?) -> [Value] {
    attemptsFailed.map { effect, attempt in
      guard case .record(var fields) = attempt.value(epoch: epoch) else { return .nil }
      fields["number"] = .integer(effect)
      return .record(fields)
    }
  }
}

extension [String: Value] {
  /// A time of the case's own, and by the wall clock.
  fileprivate mutating func set(_ name: String, _ time: Int, _ epoch: Int?) {
    self[name] = .number(EngineTime.seconds(time))
    if let epoch { self["\(name)_wall"] = .integer(EngineTime.later(epoch, by: time)) }
  }
}
