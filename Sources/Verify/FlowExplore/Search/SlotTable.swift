import CExplore
import FlowKernel
import LuaRuntime

/// A table of the slots of which states consist.
///
/// There is one slot for each place that holds a value, for the shape of each table, and for each part of the state
/// besides its tree. A slot contains the number of a value.
final class SlotTable {
  enum Subject: Hashable {
    /// The content of a place: a scalar, or a mark that there is a table.
    case place(PlaceTable.Number)
    /// The shape of the table at a place: its kind, and its keys or its length.
    case shape(PlaceTable.Number)
    case part(CanonicalState.Part)
  }

  enum Content: Hashable {
    case absent
    case table
    case boolean(Bool)
    case integer(Int)
    /// The bit pattern of a floating-point number.
    case number(UInt64)
    case text(ExactText)
    /// The length of a list, and the elements that are tables.
    case list(Int, tables: Tables)
    /// A record (`r`), a map (`m`) or an empty table of no kind yet (`e`): its keys, and the keys whose values are
    /// tables.
    case keyed(kind: UInt8, [StatePath.Key], tables: [StatePath.Key])
    case part(CanonicalState.Content)
  }

  /// The elements of a list that are tables.
  enum Tables: Hashable {
    case none, all
    case some([Int])
  }

  typealias Slot = UInt32

  struct Domain {
    let number: UInt32
    private(set) var values: [Content]
    private(set) var numbers: [Content: UInt32]
    /// The depths of the search at which new values occurred, each once.
    private(set) var depths: [UInt32] = []

    init(number: UInt32, first: Content) {
      self.number = number
      values = [first]
      numbers = [first: 0]
    }

    @discardableResult
    mutating func add(_ content: Content, depth: UInt32 = 0) -> UInt32 {
      if depths.last != depth { depths.append(depth) }
      let number = UInt32(values.count)
      values.append(content)
      numbers[content] = number
      return number
    }
  }

  // The caller holds the search's lock: access is exclusive, and checking that again takes time on every read.
  @exclusivity(unchecked) var places = PlaceTable()
  @exclusivity(unchecked) private(set) var subjects: [Subject] = []
  /// The slots of places and of their shapes, by the number of the place; `none` if there is none yet.
  @exclusivity(unchecked) private var placeSlots: [Slot] = []
  @exclusivity(unchecked) private var shapeSlots: [Slot] = []
  @exclusivity(unchecked) private(set) var partSlots: [CanonicalState.Part: Slot] = [:]
  private static let none = Slot.max
  // A checkpoint stores these, too.
  @exclusivity(unchecked) private(set) var domainOf: [Int] = []
  @exclusivity(unchecked) var domains: [Domain] = []
  var shared: [String: Int] = [:]
  /// True if states are stored already; content that is new was absent in them.
  var hasStates = false
  let search: OpaquePointer
  /// The symmetric values, and the slots whose symmetry was reported to the search.
  var alike: SymmetryTable
  var told: Set<Slot> = []
  /// For machines that belong to records: the keys that lead to the records, `*` for any key.
  let records: [String: [String]]

  init(search: OpaquePointer, alike: SymmetryTable, records: [String: [String]]) {
    (self.search, self.alike, self.records) = (search, alike, records)
  }

  var count: Int { subjects.count }

  func find(_ subject: Subject) -> Slot? {
    switch subject {
    case .place(let place): SlotTable.slot(at: place, placeSlots)
    case .shape(let place): SlotTable.slot(at: place, shapeSlots)
    case .part(let part): partSlots[part]
    }
  }

  private static func slot(at place: PlaceTable.Number, _ slots: [Slot]) -> Slot? {
    place < slots.count && slots[place] != none ? slots[place] : nil
  }

  private func registerSlot(_ slot: Slot, of subject: Subject) {
    func put(_ slots: inout [Slot], _ place: PlaceTable.Number) {
      while slots.count <= place { slots.append(SlotTable.none) }
      slots[place] = slot
    }
    switch subject {
    case .place(let place): put(&placeSlots, place)
    case .shape(let place): put(&shapeSlots, place)
    case .part(let part): partSlots[part] = slot
    }
  }

  /// Returns the slot of a subject, and creates it if there is none.
  ///
  /// - Parameter first: the content of the slot in the current state.
  func slot(of subject: Subject, first: Content) throws(ExplorationError) -> Slot {
    if let known = find(subject) { return known }
    let first = hasStates ? .absent : first
    let domain = try domain(of: subject, first: first)
    let slot = try add(subject, toDomain: domain)
    try close(slot)
    if domains[domain].values.count == 1 { try close(domains[domain].values[0], in: slot) }
    return slot
  }

  /// Creates a slot whose content is numbered by a domain.
  func add(_ subject: Subject, toDomain domain: Int) throws(ExplorationError) -> Slot {
    var slot: UInt32 = 0
    try ExplorationError.check(explore_add_slot(search, domains[domain].number, &slot))
    add(subject, domain)
    return slot
  }

  /// Registers the next slot as that of a subject.
  func add(_ subject: Subject, _ domain: Int) {
    registerSlot(Slot(subjects.count), of: subject)
    subjects.append(subject)
    domainOf.append(domain)
  }

  private func domain(
    of subject: Subject, first: Content
  ) throws(ExplorationError) -> Int {
    var name: String?
    var zero = first
    switch subject {
    case .place(let place) where isAmongAlike(place):
      // An open table can have keys that hold symmetric values beside keys that do not.
      let lists = alike.lists(ofValuesAt: place, places)
      (name, zero) = ("p\(lists)" + pattern(of: place), .absent)
    case .shape(let place) where isAmongAlike(place):
      let lists = alike.lists(ofKeysAt: place, places)
      (name, zero) = ("s\(lists)" + pattern(of: place), .absent)
    case .part(.option(let gatekeeper, _)) where !alike.isEmpty:
      (name, zero) = ("o" + gatekeeper, .absent)
    case .part: zero = .absent
    default: break
    }
    if let name, let known = shared[name] { return known }
    var number: UInt32 = 0
    try ExplorationError.check(explore_add_domain(search, &number))
    domains.append(Domain(number: number, first: zero))
    if let name { shared[name] = domains.count - 1 }
    return domains.count - 1
  }

  /// Returns the number of a value in a slot.
  func number(of content: Content, in slot: Slot) throws(ExplorationError) -> UInt32 {
    let index = domainOf[Int(slot)]
    if let known = domains[index].numbers[content] { return known }
    let number = domains[index].add(content, depth: explore_depth(search))
    try ExplorationError.check(
      explore_grow_domain(search, domains[index].number, number + 1))
    try close(content, in: slot)
    return number
  }

  /// Returns true if the place is one of several that share their values.
  private func isAmongAlike(_ place: PlaceTable.Number) -> Bool {
    places.isAmongAlike(place)
      || alike.exchanges.contains { image(ofPlace: place, by: $0) != place }
  }

  private func pattern(of place: PlaceTable.Number) -> String {
    // Record keys that may be exchanged share a pattern, too.
    if alike.isEmpty { return places.pattern(of: place) }
    var orbit: Set = [place]
    var rest = [place]
    while let next = rest.popLast() {
      for exchange in alike.exchanges {
        let image = image(ofPlace: next, by: exchange)
        if orbit.insert(image).inserted { rest.append(image) }
      }
    }
    return places.pattern(of: orbit.min() ?? place)
  }

  func content(_ number: UInt32, in slot: Slot) -> Content {
    let index = domainOf[Int(slot)]
    return Int(number) < domains[index].values.count ? domains[index].values[Int(number)] : .absent
  }

  /// Returns true if two slots share a domain: equal numbers are equal values.
  func areAlike(_ one: Slot, _ other: Slot) -> Bool {
    domainOf[Int(one)] == domainOf[Int(other)]
  }
}
