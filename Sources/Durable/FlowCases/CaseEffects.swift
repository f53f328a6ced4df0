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

// MARK: As values

extension CaseEffects.Failed {
  package func value(epoch: Int?) -> Value {
    guard case .record(var fields) = failure.value(epoch: epoch) else { return .nil }
    (fields["seq"], fields["written"]) = (.integer(seq), .integer(wall))
    return .record(fields)
  }
}

extension [String: Value] {
  /// A time of the case's own, and by the wall clock.
  mutating func set(_ name: String, _ time: Int, _ epoch: Int?) {
    self[name] = .number(EngineTime.seconds(time))
    if let epoch { self["\(name)_wall"] = .integer(EngineTime.later(epoch, by: time)) }
  }
}
