import StateCharts

/// The latest microsteps of a machine with several regions, to be taken again.
///
/// A microstep follows from the configuration and the transitions chosen, unless history states take
/// part, and to compute it takes longer than to run it. Of two that share a slot the later one is kept.
final class MicrostepCache {
  private final class Gone {
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
  private var microsteps: [Gone?] = []

  /// The way that is gone by these ways from there, if it is kept.
  func microstep(
    _ action: ChartInterpreter.ActionNumber, _ transitions: [ChartInterpreter.TransitionNumber],
    from leafNumbers: [ChartInterpreter.LeafNumber]
  ) -> Unmanaged<PreparedMicrostep>? {
    guard !microsteps.isEmpty,
      let found = microsteps[MicrostepCache.place(action, transitions, leafNumbers)],
      found.action == action, found.transitions == transitions, found.leafNumbers == leafNumbers
    else { return nil }
    return .passUnretained(found.microstep)
  }

  /// Keeps a way; nil where another has its place, which is `fixed` while somebody may go that.
  func keep(
    _ microstep: @autoclosure () -> PreparedMicrostep, _ action: ChartInterpreter.ActionNumber,
    _ transitions: [ChartInterpreter.TransitionNumber],
    from leafNumbers: [ChartInterpreter.LeafNumber], isFixed: Bool
  ) -> Unmanaged<PreparedMicrostep>? {
    if microsteps.isEmpty { microsteps = Array(repeating: nil, count: MicrostepCache.most) }
    let place = MicrostepCache.place(action, transitions, leafNumbers)
    if isFixed, microsteps[place] != nil { return nil }
    let microstep = microstep()
    microsteps[place] = Gone(microstep, action, transitions, from: leafNumbers)
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

/// A planner that stays where it is: to move one takes longer than most of what it does.
final class InterpreterPool {
  @exclusivity(unchecked) var interpreter: ChartInterpreter

  init(_ chart: CompiledChart) { interpreter = ChartInterpreter(chart) }
}

extension Rejection {
  /// Asks a guard for the interpreter, which takes no errors: nil if the guard throws, and the error is
  /// recorded.
  @inline(__always)
  static func note(
    _ failure: inout Rejection?, _ ask: () throws(Rejection) -> Bool
  ) -> Bool? {
    do throws(Rejection) {
      return try ask()
    } catch {
      failure = error
      return nil
    }
  }
}

extension Engine {
  /// The stops of a machine of the state.
  func leafNumbers(of machine: LoadedMachine) -> [ChartInterpreter.LeafNumber] {
    machine.regions.count == derived.configuration.count
      ? derived.configuration : Array(derived.configuration[machine.regions])
  }

  /// How a machine goes by the ways that its regions have found where it stands; nil where history has a
  /// say, or the place of what is kept is another's.
  func cachedMicrostep(
    by chosen: [ChartInterpreter.TransitionNumber], _ transitions: TransitionTable,
    _ action: LoadedAction
  ) -> Unmanaged<PreparedMicrostep>? {
    let machine = transitions.machine
    guard machine.historyStates.isEmpty else { return nil }
    if caches.microsteps.isEmpty {
      caches.microsteps = Array(repeating: nil, count: flow.machines.count)
    }
    let leafNumbers = leafNumbers(of: machine)
    let kept = caches.microsteps[machine.index] ?? MicrostepCache()
    if let microstep = kept.microstep(transitions.action, chosen, from: leafNumbers) {
      return microstep
    }
    caches.microsteps[machine.index] = kept
    // A question in the middle of a dispatch does not know which transitions that one takes.
    return kept.keep(
      microstep(by: chosen, machine, action), transitions.action, chosen, from: leafNumbers,
      isFixed: vm.isInsideWork)
  }

  private func microstep(
    by chosen: [ChartInterpreter.TransitionNumber], _ machine: LoadedMachine, _ action: LoadedAction
  ) -> PreparedMicrostep {
    let transitions = withoutConflicts(chosen, in: machine)
    return PreparedMicrostep(
      move(of: machine, by: transitions, from: derived.configuration), action.reducerReference)
  }
}
