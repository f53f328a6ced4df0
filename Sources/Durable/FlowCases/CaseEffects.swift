import FlowHosting
import FlowKernel
import LuaRuntime
import Platform

/// The effects of a case: those that are running, and those that failed lately.
public struct CaseEffects: Sendable {
  /// A failed effect, with the entry that records it.
  public struct Failed: Sendable, Hashable {
    /// The number of the entry.
    public let seq: Int
    /// The time at which the entry was written, in microseconds since 1970.
    package let wall: Int
    /// The reason why the effect failed.
    public let failure: EffectFailure

    /// The time at which the entry was written.
    public var written: Date { Date(microseconds: wall) }
  }

  /// The wall clock's time at the time 0 of the case, in microseconds since 1970.
  package let wallAtZero: Int
  /// The running effects, oldest first.
  public let underWay: [EffectStatus]
  /// The failed effects, latest first; only the last 2,000 entries are searched.
  public let failed: [Failed]

  /// The wall clock's time at the time 0 of the case, from which the times of effects count.
  ///
  /// It is the time of the birth, unless the case has gone back in its history or begun anew, or the wall
  /// clock was set.
  public var epoch: Date { Date(microseconds: wallAtZero) }
}

// MARK: As values

extension CaseEffects.Failed {
  package func value(epoch: Int?) -> Value {
    guard case .record(var fields) = failure.value(epoch: epoch) else { return .nil }
    (fields["seq"], fields["written"]) = (.integer(seq), .integer(wall))
    return .record(fields)
  }
}

extension [String: Value] {
  /// Sets a time of the case in seconds, and its wall clock time in microseconds since 1970.
  mutating func set(_ name: String, _ time: Int, _ epoch: Int?) {
    self[name] = .number(EngineTime.seconds(time))
    if let epoch { self["\(name)_wall"] = .integer(EngineTime.later(epoch, by: time)) }
  }
}
