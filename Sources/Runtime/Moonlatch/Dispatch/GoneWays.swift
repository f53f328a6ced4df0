import StateCharts

/// Where a machine of several regions has gone lately, ready to be gone again.
///
/// Where it goes by some ways follows from where it stands, unless history has a say: to put the steps
/// together takes longer than to take them. Of two that share a place the later one is kept.
final class GoneWays {
  private final class Gone {
    let action: Planner.ActionNumber
    let ways: [Planner.WayNumber]
    let stops: [Planner.Stop]
    let way: Way

    init(
      _ way: Way, _ action: Planner.ActionNumber, _ ways: [Planner.WayNumber],
      from stops: [Planner.Stop]
    ) {
      (self.way, self.action, self.ways, self.stops) = (way, action, ways, stops)
    }
  }

  private static let most = 256
  private var gone: [Gone?] = []

  /// The way that is gone by these ways from there, if it is kept.
  func way(
    _ action: Planner.ActionNumber, _ ways: [Planner.WayNumber], from stops: [Planner.Stop]
  ) -> Unmanaged<Way>? {
    guard !gone.isEmpty, let found = gone[GoneWays.place(action, ways, stops)],
      found.action == action, found.ways == ways, found.stops == stops
    else { return nil }
    return .passUnretained(found.way)
  }

  /// Keeps a way; nil where another has its place, which is `fixed` while somebody may go that.
  func keep(
    _ way: @autoclosure () -> Way, _ action: Planner.ActionNumber,
    _ ways: [Planner.WayNumber], from stops: [Planner.Stop], isFixed: Bool
  ) -> Unmanaged<Way>? {
    if gone.isEmpty { gone = Array(repeating: nil, count: GoneWays.most) }
    let place = GoneWays.place(action, ways, stops)
    if isFixed, gone[place] != nil { return nil }
    let way = way()
    gone[place] = Gone(way, action, ways, from: stops)
    return .passUnretained(way)
  }

  private static func place(
    _ action: Planner.ActionNumber, _ ways: [Planner.WayNumber], _ stops: [Planner.Stop]
  ) -> Int {
    var hash = UInt64(UInt32(bitPattern: action))
    for way in ways { hash = (hash ^ UInt64(UInt32(bitPattern: way))) &* 0x100_0000_01b3 }
    for stop in stops { hash = (hash ^ UInt64(UInt32(bitPattern: stop))) &* 0x100_0000_01b3 }
    return Int((hash ^ hash >> 32) & UInt64(most - 1))
  }
}

/// A planner that stays where it is: to move one takes longer than most of what it does.
final class KeptPlanner {
  @exclusivity(unchecked) var planner: Planner

  init(_ chart: CompiledChart) { planner = Planner(chart) }
}

extension Rejection {
  /// What a condition answers a planner, which goes on with nothing that is thrown: nil, and it is noted.
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
  func stops(of machine: LoadedMachine) -> [Planner.Stop] {
    machine.regions.count == places.count ? places : Array(places[machine.regions])
  }

  /// How a machine goes by the ways that its regions have found where it stands; nil where history has a
  /// say, or the place of what is kept is another's.
  func wayGone(
    by chosen: [Planner.WayNumber], _ ways: ActionWays, _ action: LoadedAction
  ) -> Unmanaged<Way>? {
    let machine = ways.machine
    guard machine.keepers.isEmpty else { return nil }
    if goneWays.isEmpty { goneWays = Array(repeating: nil, count: flow.machines.count) }
    let stops = stops(of: machine)
    let kept = goneWays[machine.index] ?? GoneWays()
    if let way = kept.way(ways.action, chosen, from: stops) { return way }
    goneWays[machine.index] = kept
    // Whoever asks in the middle of a dispatch does not know which way that goes.
    return kept.keep(
      way(by: chosen, machine, action), ways.action, chosen, from: stops, isFixed: vm.isInsideWork)
  }

  private func way(
    by chosen: [Planner.WayNumber], _ machine: LoadedMachine, _ action: LoadedAction
  ) -> Way {
    let ways = withoutConflicts(chosen, in: machine)
    return Way(move(of: machine, by: ways, from: places), action.reducerReference)
  }
}
