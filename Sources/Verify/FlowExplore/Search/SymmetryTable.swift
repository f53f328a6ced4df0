import FlowLanguage
import LuaRuntime

/// A table of the places that contain symmetric values.
struct SymmetryTable {
  let lists: [SymmetryValues]
  /// The exchanges: all pairs of values from the same list.
  private(set) var exchanges: [SymmetryExchange] = []
  /// The tables whose keys are symmetric values, by list and path pattern, for lists without declared places.
  var found: Set<Found> = []
  private let flow: Flow
  private var keys: [PlaceTable.Number: [Int]] = [:]
  private var holds: [PlaceTable.Number: [Int]] = [:]

  struct Found: Hashable {
    let list: Int
    let pattern: String
  }

  /// Creates a table.
  ///
  /// - Parameter firsts: the number that the search gives to the first value of each list.
  init(_ lists: [SymmetryValues], firsts: [UInt32], of flow: Flow) {
    (self.lists, self.flow) = (lists, flow)
    for (list, (alike, first)) in zip(lists, firsts).enumerated() {
      for one in alike.values.indices {
        for other in alike.values.indices.dropFirst(one + 1) {
          exchanges.append(
            SymmetryExchange(
              list: list, one: alike.values[one], other: alike.values[other],
              numbers: (first + UInt32(one), first + UInt32(other))))
        }
      }
    }
  }

  /// True if there are no symmetric values.
  var isEmpty: Bool { lists.isEmpty }

  /// Returns the number of a value in the search; nil if the list does not contain it.
  func number(of value: Value, in list: Int) -> UInt32? {
    for exchange in exchanges where exchange.list == list {
      if exchange.one == value { return exchange.numbers.one }
      if exchange.other == value { return exchange.numbers.other }
    }
    return nil
  }

  /// Finds the tables of the first state whose keys are symmetric integers.
  ///
  /// These are lists whose length is the largest value, and maps without other keys.
  mutating func find(in contents: StateForm.Contents, _ places: PlaceTable) {
    var others: Set<Found> = []
    for (list, alike) in lists.enumerated() where alike.places == nil && !alike.areStrings {
      let values = alike.values.compactMap(\.integerValue)
      for case (.shape(let place), let shape) in contents {
        let found = Found(list: list, pattern: places.pattern(of: place))
        switch shape {
        case .list(let count, _):
          if count == values.max(), values.allSatisfy({ $0 > 0 }) {
            self.found.insert(found)
          } else {
            others.insert(found)
          }
        case .keyed(kind: UInt8(ascii: "m"), let keys, _):
          if keys.allSatisfy({ alike.values.contains($0.value) }) {
            self.found.insert(found)
          } else {
            others.insert(found)
          }
        default: continue
        }
      }
    }
    found.subtract(others)
  }

  /// Returns the lists whose values are keys of the table at a place.
  mutating func lists(ofKeysAt place: PlaceTable.Number, _ places: PlaceTable) -> [Int] {
    if isEmpty { return [] }
    if let known = keys[place] { return known }
    let path = steps(to: place, places)
    let names = flow.namesOfFields(at: places.path(of: place))
    let all = lists.indices.filter { list in
      // A record with fields for only some of the values cannot exchange them.
      if let names, !lists[list].values.allSatisfy({ names.contains($0.stringValue ?? "") }) {
        return false
      }
      if let said = lists[list].places { return said.contains { $0.hasKeys(at: path) } }
      return lists[list].areStrings
        || found.contains(Found(list: list, pattern: places.pattern(of: place)))
    }
    keys[place] = all
    return all
  }

  /// Returns the lists whose values occur at a place.
  mutating func lists(ofValuesAt place: PlaceTable.Number, _ places: PlaceTable) -> [Int] {
    if isEmpty { return [] }
    if let known = holds[place] { return known }
    let path = steps(to: place, places)
    let all = lists.indices.filter { list in
      if let said = lists[list].places { return said.contains { $0.holds(at: path) } }
      guard !lists[list].areStrings, case .field(let name)? = path.last?.key else {
        return lists[list].areStrings
      }
      return lists[list].fields.contains(name)
    }
    holds[place] = all
    return all
  }

  /// Returns the keys that lead to a place, each with true if it is a symmetric value there.
  private mutating func steps(
    to place: PlaceTable.Number, _ places: PlaceTable
  ) -> [(key: StatePath.Key, isAlike: Bool)] {
    var steps: [(key: StatePath.Key, isAlike: Bool)] = []
    var at = place
    while let (above, key) = places.step(to: at) {
      let isAlike = lists(ofKeysAt: above, places).contains { lists[$0].values.contains(key.value) }
      steps.append((key, isAlike))
      at = above
    }
    return steps.reversed()
  }
}

extension Flow {
  /// Returns the field names of a closed record at a path; nil if there is no such record.
  fileprivate func namesOfFields(at path: StatePath) -> Set<String>? {
    if let fields = types.type(at: path)?.fieldsOfRecord { return Set(fields.map(\.name)) }
    if path.keys.isEmpty { return Set(fields.map(\.name) + machines.map(\.name)) }
    var shape = StateShape.record(
      Dictionary(fields.map { ($0.name, $0.shape) }, uniquingKeysWith: { first, _ in first }))
    for key in path.keys {
      guard case (.record(let fields), .field(let name)) = (shape, key), let inside = fields[name]
      else { return nil }
      shape = inside
    }
    guard case .record(let fields) = shape else { return nil }
    return Set(fields.keys)
  }
}

extension PayloadType {
  fileprivate var fieldsOfRecord: [Field]? {
    switch self {
    case .optional(let inner): inner.fieldsOfRecord
    case .record(let fields): fields
    default: nil
    }
  }
}
