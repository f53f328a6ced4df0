import FlowLanguage
import LuaRuntime

/// Which places have to do with values that may be exchanged.
struct SymmetryTable {
  let lists: [SymmetryValues]
  /// Each two values that may be exchanged.
  private(set) var exchanges: [SymmetryExchange] = []
  /// Where nobody says it: the tables whose keys are values, each by its list and by what it has in common with others.
  var found: Set<Found> = []
  private let flow: Flow
  private var keys: [PlaceTable.Number: [Int]] = [:]
  private var holds: [PlaceTable.Number: [Int]] = [:]

  struct Found: Hashable {
    let list: Int
    let pattern: String
  }

  /// - Parameter firsts: the numbers that the search gives the first value of each list.
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

  /// Nothing may be exchanged.
  var isEmpty: Bool { lists.isEmpty }

  /// The number of a value in the search.
  func number(of value: Value, in list: Int) -> UInt32? {
    for exchange in exchanges where exchange.list == list {
      if exchange.one == value { return exchange.numbers.one }
      if exchange.other == value { return exchange.numbers.other }
    }
    return nil
  }

  /// Looks in the state that comes first for tables whose keys are integers that may be exchanged: lists that are as long
  /// as there are such, and maps with no other keys.
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

  /// The lists whose values are keys of the table at a place.
  mutating func lists(ofKeysAt place: PlaceTable.Number, _ places: PlaceTable) -> [Int] {
    if isEmpty { return [] }
    if let known = keys[place] { return known }
    let path = steps(to: place, places)
    let names = flow.namesOfFields(at: places.path(of: place))
    let all = lists.indices.filter { list in
      // A record that has fields for some of the values alone cannot exchange them.
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

  /// The lists of which values stand at a place.
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

  /// The keys that lead to a place, and whether each is a value that may be exchanged there.
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
  /// The names of the fields of a record that can have no others; nil where none of that kind stands.
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
