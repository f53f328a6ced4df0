import CExplore
import LuaRuntime

/// List elements that move: their origin is tracked, so that their content need not be read.
///
/// All reads and writes of an element refer to its index at the start of the run. Elements can move unread only if the
/// shape of the list allows it: it contains only scalars, or only records or maps of scalars. The elements of any other
/// list are read.
extension ObservedRun {
  /// Inserts an element at a position, or removes it.
  mutating func splice(
    _ table: PlaceTable.Number, _ key: StatePath.Key, inserts: Bool
  ) throws(ExplorationError) {
    try recordDecidingRead(of: .shape(table))
    guard case .index(let position) = key else { return }
    var elements = moved[table] ?? beginning(table)
    if moved[table] == nil, !(try areSimple(table)) {
      dropContinuation()
      try lookDeep(table)
    }
    let last = elements.count + (inserts ? 1 : 0)
    // All elements from there on move, and the last place may become empty.
    if position > 0, position <= last {
      for index in position...last {
        try writeElement(slots.places.number(of: .index(index), in: table))
      }
    }
    if inserts, position > 0, position <= elements.count + 1 {
      elements.insert(0, at: position - 1)
    } else if !inserts, elements.indices.contains(position - 1) {
      elements.remove(at: position - 1)
    }
    moved[table] = elements
  }

  private func beginning(_ table: PlaceTable.Number) -> [Int] {
    if case .list(let count, _) = content(of: .shape(table)) { Array(1..<(count + 1)) } else { [] }
  }

  /// Returns true if the elements are scalars, or records of scalars; reads the shapes of these records.
  private mutating func areSimple(_ table: PlaceTable.Number) throws(ExplorationError) -> Bool {
    switch content(of: .shape(table)) {
    case .list(_, tables: .none), .keyed(kind: UInt8(ascii: "e"), _, _): return true
    case .list(let count, tables: .all):
      for index in 0..<count {
        let place = slots.places.number(of: .index(index + 1), in: table)
        guard case .keyed(_, _, tables: []) = content(of: .shape(place)) else {
          return false
        }
        try recordDecidingRead(of: .shape(place))
      }
      return true
    default: return false
    }
  }

  /// Records an event on an element of a list whose elements have moved.
  mutating func take(
    _ event: TracedRun.Event, moved table: PlaceTable.Number, _ key: StatePath.Key
  ) throws(ExplorationError) {
    var elements = moved[table] ?? []
    guard case .index(let index) = key, index > 0, index <= elements.count + 1 else {
      return try recordRead(of: .shape(table))
    }
    let origin = index <= elements.count ? elements[index - 1] : 0
    switch event {
    case .read:
      // The number of elements determines the origin of this one.
      try recordRead(of: .shape(table))
      if origin > 0 {
        try recordRead(of: .place(slots.places.number(of: .index(origin), in: table)))
      }
    default:
      try writeElement(slots.places.number(of: .index(index), in: table))
      if index <= elements.count { elements[index - 1] = 0 } else { elements.append(0) }
      // This may have removed the last element; the state after the run shows it.
      moved[table] = elements
    }
  }

  /// Returns the slot from which the content of an element's slot comes; it is the slot itself if the element is back.
  ///
  /// - Returns: nil if the element has not moved, or was written since; without continuations also if it was read,
  ///   because its content is known then.
  func origin(
    of place: PlaceTable.Number, to slot: SlotTable.Slot
  ) -> SlotTable.Slot? {
    if moved.isEmpty { return nil }
    var keys: [StatePath.Key] = []
    var at = place
    while let above = slots.places.above(at), let key = slots.places.key(of: at) {
      if let elements = moved[above] {
        guard case .index(let index) = key, index > 0, index <= elements.count,
          elements[index - 1] > 0,
          var from = slots.places.find(.index(elements[index - 1]), in: above)
        else { return nil }
        for key in keys.reversed() {
          guard let inside = slots.places.find(key, in: from) else { return nil }
          from = inside
        }
        guard let source = slots.find(.place(from)), slots.areAlike(source, slot),
          marks(of: source).isDisjoint(
            with: continuation == nil ? [.looked, .replaced] : .replaced)
        else { return nil }
        return source
      }
      keys.append(key)
      at = above
    }
    return nil
  }
}
