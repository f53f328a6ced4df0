import CExplore

/// Closure under symmetry: new slots and values come with all of their images, which are reported to the search.
extension SlotTable {
  /// Adds the images of a slot under all exchanges.
  func close(_ slot: Slot) throws(ExplorationError) {
    if alike.isEmpty || told.contains(slot) { return }
    var orbit = [subjects[Int(slot)]]
    var known = Set(orbit)
    var index = 0
    while index < orbit.count {
      for exchange in alike.exchanges {
        let image = image(of: orbit[index], by: exchange)
        if known.insert(image).inserted { orbit.append(image) }
      }
      index += 1
    }
    guard orbit.count > 1 || isChanged(orbit[0]) else { return }
    let domain = domainOf[Int(slot)]
    var slots: [Slot] = []
    for subject in orbit {
      if let known = find(subject) {
        slots.append(known)
      } else {
        slots.append(try add(subject, toDomain: domain))
      }
    }
    guard slots.allSatisfy({ domainOf[Int($0)] == domain }) else {
      throw ExplorationError(
        .difference,
        "internal error: please report it (symmetric places have values with different numbers)")
    }
    try declareOrbit(orbit, slots)
  }

  private func declareOrbit(_ orbit: [Subject], _ slots: [Slot]) throws(ExplorationError) {
    let row = slots.min() ?? 0
    for (subject, slot) in zip(orbit, slots) {
      told.insert(slot)
      let domain = domains[domainOf[Int(slot)]].number
      try ExplorationError.check(
        explore_place_slot(search, slot, domain, row, owner(of: subject)))
    }
    for exchange in alike.exchanges {
      let (one, other) = exchange.numbers
      for (subject, slot) in zip(orbit, slots) {
        guard let with = find(image(of: subject, by: exchange)), slot <= with,
          slot != with || isChanged(subject)
        else { continue }
        try ExplorationError.check(explore_exchange_slots(search, one, other, slot, with))
      }
    }
  }

  /// Returns the symmetric value among the keys that lead to a subject, if there is exactly one.
  private func owner(of subject: Subject) -> UInt32 {
    var owners: [UInt32] = []
    switch subject {
    case .place(var place), .shape(var place):
      while let (above, key) = places.step(to: place) {
        owners += alike.lists(ofKeysAt: above, places).compactMap {
          alike.number(of: key.value, in: $0)
        }
        place = above
      }
    case .part(.option(_, let option)):
      for exchange in alike.exchanges {
        for (value, number) in [
          (exchange.one, exchange.numbers.one), (exchange.other, exchange.numbers.other),
        ] where value.stringValue ?? "\(value)" == option && !owners.contains(number) {
          owners.append(number)
        }
      }
    case .part: break
    }
    return owners.count == 1 ? owners[0] : EXPLORE_NONE
  }

  /// Adds the images of a slot's value under all exchanges.
  func close(_ content: Content, in slot: Slot) throws(ExplorationError) {
    let subject = subjects[Int(slot)]
    guard !alike.isEmpty, content != .absent, isChanged(subject) else { return }
    let domain = domainOf[Int(slot)]
    let count = domains[domain].values.count
    var orbit = [content]
    var images: [(exchange: SymmetryExchange, value: UInt32, with: UInt32)] = []
    var index = 0
    while index < orbit.count {
      for exchange in alike.exchanges {
        let image = try image(of: orbit[index], in: subject, by: exchange)
        if image == orbit[index] { continue }
        if !orbit.contains(image) { orbit.append(image) }
        images.append(
          (
            exchange, number(of: orbit[index], inDomain: domain),
            number(of: image, inDomain: domain)
          ))
      }
      index += 1
    }
    if orbit.count == 1 { return }
    let told = domains[domain].number
    // A checkpoint already contains all images, which the search must know before its slots.
    if domains[domain].values.count > count {
      try ExplorationError.check(
        explore_grow_domain(search, told, UInt32(domains[domain].values.count)))
    }
    for (exchange, value, with) in images where value < with {
      try ExplorationError.check(
        explore_exchange_values(
          search, exchange.numbers.one, exchange.numbers.other, told, value, with))
    }
    for content in orbit {
      guard let named = name(of: content, in: subject) else { continue }
      let value = number(of: content, inDomain: domain)
      try ExplorationError.check(explore_name_value(search, told, value, named))
    }
  }

  private func name(of content: Content, in subject: Subject) -> UInt32? {
    guard case .place(let place) = subject else { return nil }
    let value = StateForm.value(of: content)
    for list in alike.lists(ofValuesAt: place, places) {
      if let number = alike.number(of: value, in: list) { return number }
    }
    return nil
  }

  private func number(of content: Content, inDomain domain: Int) -> UInt32 {
    domains[domain].numbers[content]
      ?? domains[domain].add(content, depth: explore_depth(search))
  }

  /// Reports all slots and values of a checkpoint to the search.
  func tellAll() throws(ExplorationError) {
    if alike.isEmpty { return }
    var known: Set<Int> = []
    for slot in subjects.indices.map(Slot.init) {
      try close(slot)
      let domain = domainOf[Int(slot)]
      guard known.insert(domain).inserted else { continue }
      for content in domains[domain].values { try close(content, in: slot) }
    }
  }
}
