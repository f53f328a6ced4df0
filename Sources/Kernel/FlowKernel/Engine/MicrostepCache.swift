import LuaRuntime
import StateCharts

/// A cache of the latest microsteps of a machine with several regions.
///
/// Unless history states take part, the configuration and the selected transitions determine a microstep, and computing
/// it takes longer than running it. Of two microsteps that share a slot, the cache keeps the later one.
final class MicrostepCache {
  private final class Entry {
    let action: ChartInterpreter.ActionNumber
    let transitions: [ChartInterpreter.TransitionNumber]
    let leafNumbers: [ChartInterpreter.LeafNumber]
    let microstep: PreparedMicrostep

    init(
      _ microstep: PreparedMicrostep, _ action: ChartInterpreter.ActionNumber,
      _ transitions: [ChartInterpreter.TransitionNumber],
      from leafNumbers: [ChartInterpreter.LeafNumber]
    ) {
      (self.microstep, self.action, self.transitions, self.leafNumbers) = (
        microstep, action, transitions, leafNumbers
      )
    }
  }

  private static let most = 256
  private var microsteps: [Entry?] = []

  /// Returns the microstep of these transitions from these leaves; nil if it is not cached.
  package func microstep(
    _ action: ChartInterpreter.ActionNumber, _ transitions: [ChartInterpreter.TransitionNumber],
    from leafNumbers: [ChartInterpreter.LeafNumber]
  ) -> Unmanaged<PreparedMicrostep>? {
    guard !microsteps.isEmpty,
      let found = microsteps[MicrostepCache.place(action, transitions, leafNumbers)],
      found.action == action, found.transitions == transitions, found.leafNumbers == leafNumbers
    else { return nil }
    return .passUnretained(found.microstep)
  }

  /// Caches a microstep and returns it; returns nil if its slot is in use and `isFixed` is true.
  ///
  /// `isFixed` pins the slots in use, whose microsteps may still be taken.
  package func keep(
    _ microstep: @autoclosure () throws(Rejection) -> PreparedMicrostep,
    _ action: ChartInterpreter.ActionNumber,
    _ transitions: [ChartInterpreter.TransitionNumber],
    from leafNumbers: [ChartInterpreter.LeafNumber], isFixed: Bool
  ) throws(Rejection) -> Unmanaged<PreparedMicrostep>? {
    if microsteps.isEmpty { microsteps = Array(repeating: nil, count: MicrostepCache.most) }
    let place = MicrostepCache.place(action, transitions, leafNumbers)
    if isFixed, microsteps[place] != nil { return nil }
    let microstep = try microstep()
    microsteps[place] = Entry(microstep, action, transitions, from: leafNumbers)
    return .passUnretained(microstep)
  }

  private static func place(
    _ action: ChartInterpreter.ActionNumber, _ transitions: [ChartInterpreter.TransitionNumber],
    _ leafNumbers: [ChartInterpreter.LeafNumber]
  ) -> Int {
    var hash = UInt64(UInt32(bitPattern: action))
    for microstep in transitions {
      hash = (hash ^ UInt64(UInt32(bitPattern: microstep))) &* 0x100_0000_01b3
    }
    for leafNumber in leafNumbers {
      hash = (hash ^ UInt64(UInt32(bitPattern: leafNumber))) &* 0x100_0000_01b3
    }
    return Int((hash ^ hash >> 32) & UInt64(most - 1))
  }
}
