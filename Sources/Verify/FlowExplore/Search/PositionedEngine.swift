import CExplore
import FlowKernel
import LuaRuntime

/// An engine that loads one state after the other, each by its slot values.
///
/// Successive states of a search mostly differ in a few values, so that only those are written.
final class PositionedEngine {
  let engine: Engine
  /// The slot values of the engine's state; nil if that is unknown.
  @exclusivity(unchecked) private var values: [UInt32]?
  /// The slot values before `suspend`.
  private var suspended: [UInt32]?
  /// The encoded tree of that state; nil if nobody has requested it.
  @exclusivity(unchecked) private var tree: [UInt8]?
  /// The rest of that state, besides its tree.
  @exclusivity(unchecked) private(set) var canonical = CanonicalState()
  /// True if the engine has only answered questions since the state was loaded, so that it is still in it.
  private var isUntouched = false
  /// The cached descriptions of slots, by slot number.
  @exclusivity(unchecked) private var slots: [Slot] = []
  /// The encoded values of domains, by domain and value number; empty for a value that cannot be written in place.
  @exclusivity(unchecked) private var contents: [[[UInt8]]] = []
  /// The contents of parts, by domain and value number.
  @exclusivity(unchecked) private var parts: [[CanonicalState.Content?]] = []
  /// The positions of machines, by slot and by the value number of the machine's field.
  private var positions: [[RegionPosition?]] = []
  private let machineFields: Set<String>
  @exclusivity(unchecked) private var scalars: [UInt8] = []

  /// The description of a slot.
  private struct Slot {
    enum Kind {
      /// A value at a place of the tree.
      case value
      /// The value of a machine's field.
      case machine(String)
      /// A part of the state besides its tree.
      case part(CanonicalState.Part)
      /// The shape of a table.
      case shape
    }

    let kind: Kind
    let domain: Int
    /// The number of keys to the slot and the keys, as the VM encodes them.
    let path: [UInt8]
  }

  init(_ engine: Engine) {
    self.engine = engine
    machineFields = engine.machineFields
  }

  // MARK: Loading

  /// Loads a state.
  ///
  /// - Parameter whole: returns the complete state; called only if it cannot be reached by writing single values.
  func load(
    state values: StateSearch.Values, _ session: StateSearch,
    _ whole: () -> (tree: [UInt8], canonical: CanonicalState)
  ) throws {
    if try writeDifferences(to: values, session) { return }
    self.values = nil
    let (tree, canonical) = whole()
    try engine.load(state: tree, canonical)
    (self.tree, self.canonical) = (tree, canonical)
    self.values = Array(values)
    isUntouched = true
  }

  /// Moves to a state by writing the differing values; returns false if that is impossible.
  private func writeDifferences(to values: StateSearch.Values, _ session: StateSearch) throws
    -> Bool
  {
    guard let known = self.values, engine.standsByWriting,
      let difference = difference(known, values, session)
    else { return false }
    let sharesCanonical = isUntouched && difference.parts.isEmpty
    if sharesCanonical, scalars.isEmpty { return true }
    self.values = nil
    for (part, content) in difference.parts { canonical[part] = content }
    guard
      try engine.load(writing: scalars, sharesCanonical ? nil : canonical, difference.positions)
    else { return false }
    if !scalars.isEmpty { tree = nil }
    storePosition(values, after: known)
    isUntouched = true
    return true
  }

  /// Records that the engine is about to run, so that its state may be unknown afterwards.
  func suspend() { (suspended, values, tree, isUntouched) = (values, nil, nil, false) }

  /// Records that the engine has only answered questions since `suspend`, or refused an action.
  func resume() {
    values = suspended
    isUntouched = values != nil
  }

  /// Records that the engine is about to change its state.
  func leave() { isUntouched = false }

  /// Records that the engine is back in the state that was loaded.
  func comeBack() { isUntouched = values != nil }

  /// Records that the engine's state is unknown.
  func lose() { (values, tree, isUntouched) = (nil, nil, false) }

  /// Records that the engine has moved to a state with these values.
  ///
  /// - Parameter tree: the encoded tree of the state; nil if nobody has requested it.
  func hasGone(to values: [UInt32], _ tree: [UInt8]?, _ canonical: CanonicalState) {
    (self.values, self.tree, isUntouched) = (values, tree, false)
    self.canonical = canonical
  }

  /// Returns the encoded tree of the loaded state; call it before the engine changes that state.
  func encodedTree() throws -> [UInt8] {
    if let tree { return tree }
    let encoded = try engine.encodedTree()
    tree = encoded
    return encoded
  }

  private func storePosition(_ values: StateSearch.Values, after known: [UInt32]) {
    if known.count == values.count {
      var known = known
      for slot in values.indices where known[slot] != values[slot] { known[slot] = values[slot] }
      self.values = known
    } else {
      self.values = Array(values)
    }
  }

  // MARK: Differences

  private struct Difference {
    var parts: [(part: CanonicalState.Part, content: CanonicalState.Content?)] = []
    var positions: [RegionPosition] = []
  }

  /// Returns the difference to another state, its values in `scalars`; nil if more than values differ.
  private func difference(
    _ known: [UInt32], _ values: StateSearch.Values, _ session: StateSearch
  ) -> Difference? {
    scalars.removeAll(keepingCapacity: true)
    var difference = Difference()
    for number in 0..<max(known.count, values.count) {
      let old = number < known.count ? known[number] : 0
      let new = number < values.count ? values[number] : 0
      if old == new { continue }
      if number >= slots.count { learnSlots(through: number, session) }
      guard number < slots.count else { return nil }
      let domain = slots[number].domain
      if Int(max(old, new)) >= contents[domain].count { learnContents(of: domain, session) }
      guard Int(max(old, new)) < contents[domain].count else { return nil }
      switch slots[number].kind {
      case .shape: return nil
      case .part(let part): difference.parts.append((part, parts[domain][Int(new)]))
      case .value, .machine:
        guard !contents[domain][Int(old)].isEmpty, !contents[domain][Int(new)].isEmpty else {
          return nil
        }
        if case .machine(let field) = slots[number].kind {
          guard let position = position(number, field, Int(new)) else { return nil }
          difference.positions.append(position)
        }
        scalars += slots[number].path
        scalars += contents[domain][Int(new)]
      }
    }
    return difference
  }

  /// Returns the position of a machine for a value number of its field's slot.
  private func position(_ slot: Int, _ field: String, _ value: Int) -> RegionPosition? {
    while positions.count <= slot { positions.append([]) }
    while positions[slot].count <= value { positions[slot].append(nil) }
    if let known = positions[slot][value] { return known }
    let text = try? contents[slots[slot].domain][value].withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      return try reader.value().stringValue
    }
    guard let text else { return nil }
    positions[slot][value] = engine.machinePosition(text, inField: field)
    return positions[slot][value]
  }

  private func learnSlots(through last: Int, _ session: StateSearch) {
    session.lock.locked {
      let table = session.slots
      while slots.count <= last, slots.count < table.count {
        let number = slots.count
        slots.append(slot(table.subjects[number], table.domainOf[number], table.places))
      }
      while contents.count < table.domains.count {
        contents.append([])
        parts.append([])
      }
    }
  }

  private func slot(
    _ subject: SlotTable.Subject, _ domain: Int, _ places: PlaceTable
  ) -> Slot {
    switch subject {
    case .part(let part): return Slot(kind: .part(part), domain: domain, path: [])
    case .shape: return Slot(kind: .shape, domain: domain, path: [])
    case .place(let place):
      let keys = places.path(of: place).keys
      guard keys.count <= UInt8.max else { return Slot(kind: .shape, domain: domain, path: []) }
      var writer = ValueWriter()
      writer.writeByte(UInt8(keys.count))
      var machine: String?
      for key in keys {
        switch key {
        case .field(let name):
          if keys.count == 1, machineFields.contains(name) { machine = name }
          writer.write(.string(name))
        case .index(let index): writer.write(.integer(index))
        }
      }
      return Slot(
        kind: machine.map { .machine($0) } ?? .value, domain: domain, path: writer.bytes)
    }
  }

  private func learnContents(of domain: Int, _ session: StateSearch) {
    session.lock.locked {
      for content in session.slots.domains[domain].values.dropFirst(contents[domain].count) {
        var writer = ValueWriter()
        switch content {
        case .boolean, .integer, .number, .text: writer.write(StateForm.value(of: content))
        default: break
        }
        contents[domain].append(writer.bytes)
        if case .part(let content) = content {
          parts[domain].append(content)
        } else {
          parts[domain].append(nil)
        }
      }
    }
  }
}
