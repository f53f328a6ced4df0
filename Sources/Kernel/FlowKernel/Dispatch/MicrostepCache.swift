import LuaRuntime
import StateCharts

/// The latest microsteps of a machine with several regions, to be taken again.
///
/// A microstep follows from the configuration and the transitions chosen, unless history states take
/// part, and to compute it takes longer than to run it. Of two that share a slot the later one is kept.
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

  /// The microstep that these transitions take from there, if it is kept.
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

  /// Keeps a microstep; nil if another has its place, which `isFixed` protects while somebody may take it.
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
