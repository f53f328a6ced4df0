import CExplore

/// The places at which an infinite state space grows.
extension StateSearch {
  /// The maximum number of places that are named.
  private static let mostGrowing = 3

  /// Returns the titles of the places that took new values at most of the depths before the given one.
  func growing(at depth: Int) -> [String] {
    let window = min(64, max(8, depth / 4))
    guard depth > window else { return [] }
    // The last depth itself is incomplete.
    let depths = UInt32(depth - window)..<UInt32(depth)
    var told: Set<Int> = []
    var names: [String] = []
    for (slot, subject) in slots.subjects.enumerated() {
      let domain = slots.domainOf[slot]
      let recent = slots.domains[domain].depths.reversed().prefix { $0 >= depths.lowerBound }
      guard recent.count(where: { depths.contains($0) }) * 2 > window, told.insert(domain).inserted
      else { continue }
      if names.count == StateSearch.mostGrowing { return names + ["and others"] }
      names.append(title(of: subject, holding: slots.domains[domain].values.last))
    }
    return names
  }

  private func title(
    of subject: SlotTable.Subject, holding last: SlotTable.Content?
  ) -> String {
    switch subject {
    case .place(let place): return slots.places.title(of: place)
    case .shape(let place):
      let title = slots.places.title(of: place)
      if case .list? = last { return "the length of \(title)" }
      return "the keys of \(title)"
    case .part(.timers): return "the remaining times of timers"
    case .part(.stateTimers(let slot)):
      return "the remaining times of timers of machine \(slot.machine)"
    case .part(.timerOrder): return "the order in which timers were set"
    case .part(.effects): return "the running effects"
    case .part(.time): return "the current time"
    case .part(.option(let gatekeeper, _)), .part(.gatekeeper(let gatekeeper)):
      return "gatekeeper \(gatekeeper)"
    case .part(.historyValues(let machine)): return "the history states of machine \(machine)"
    }
  }
}
