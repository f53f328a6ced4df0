import FlowLanguage
import LuaRuntime

/// A path at which an expectation and the found value differ.
public struct Mismatch: Sendable, Hashable, Codable {
  /// The path, such as `rows[1].note`; empty for the whole value.
  public let path: String
  /// The expected value, as Lua source or in words.
  public let expected: String
  /// The found value.
  public let found: String
}

/// A comparison of what a scenario expects with what is there.
///
/// In an expectation a record is compared in part and a list as a whole (the records in it in part). `{}` means empty,
/// and `none` that there is no value. Numbers compare as by Lua's `==`. A map is compared in part, and so is a list if
/// some of its elements are named by their numbers. A matcher may replace any value.
struct Expectation {
  /// True if fields that are not named must not exist.
  private let isWhole: Bool
  private let matching: Matcher.Matching
  /// The secrets, whose part of the state is not shown.
  private let secrets: Secrets?
  private(set) var mismatches: [Mismatch] = []

  private init(isWhole: Bool, matching: @escaping Matcher.Matching, secrets: Secrets? = nil) {
    (self.isWhole, self.matching, self.secrets) = (isWhole, matching, secrets)
  }

  /// Returns the mismatches of a part of the state.
  ///
  /// An empty expectation always holds.
  static func part(
    _ expected: Value, of found: Value, matching: @escaping Matcher.Matching,
    hiding secrets: Secrets?
  ) -> [Mismatch] {
    if expected.isEmptyTable { return [] }
    var expectation = Expectation(isWhole: false, matching: matching, secrets: secrets)
    expectation.compare(expected, found, at: StatePath([]))
    return expectation.mismatches
  }

  /// Returns the mismatches of the whole state: a field that is not named is one.
  static func whole(
    _ expected: Value, of found: Value, matching: @escaping Matcher.Matching,
    hiding secrets: Secrets?
  ) -> [Mismatch] {
    var expectation = Expectation(isWhole: true, matching: matching, secrets: secrets)
    let expected = expected.isEmptyTable ? .record([:]) : expected
    expectation.compareFields(expected.recordValue ?? [:], found, at: StatePath([]))
    return expectation.mismatches
  }

  /// Returns the mismatches of a value of any kind.
  static func value(
    _ expected: Value, of found: Value, matching: @escaping Matcher.Matching
  ) -> [Mismatch] {
    var expectation = Expectation(isWhole: false, matching: matching)
    expectation.compare(expected, found, at: StatePath([]))
    return expectation.mismatches
  }

  /// Returns the mismatches of a value that is compared as a whole.
  static func equal(
    _ expected: Value, to found: Value, matching: @escaping Matcher.Matching
  ) -> [Mismatch] {
    var expectation = Expectation(isWhole: true, matching: matching)
    expectation.compare(expected, found, at: StatePath([]))
    return expectation.mismatches
  }

  /// Returns the mismatches between the leaves that an action was to change and those that it changed.
  static func change(
    _ expected: Value, from old: Value, to new: Value, matching: @escaping Matcher.Matching,
    hiding secrets: Secrets?
  ) -> [Mismatch] {
    var changes = ChangedLeaves(from: old, to: new)
    var expectation = Expectation(isWhole: false, matching: matching, secrets: secrets)
    for place in NamedPlace.all(in: expected.recordValue ?? [:], against: new, before: old) {
      let isChanged = changes.remove(at: place, of: new)
      let found = new.value(at: place.path) ?? .nil
      if !isChanged {
        expectation.mismatches.append(
          Mismatch(
            path: expectation.shown(place.path),
            expected: "to change to "
              + expectation.shown(place.value, at: place.path, Matcher.text(of:)),
            found: "unchanged, \(expectation.shown(found, at: place.path, text))"))
      } else {
        expectation.compare(place.value, found, at: place.path)
      }
    }
    return expectation.mismatches
      + changes.rest.map {
        Mismatch(
          path: expectation.shown($0.path), expected: "no change",
          found: expectation.shown($0.old, at: $0.path, text) + " -> "
            + expectation.shown($0.new, at: $0.path, text))
      }
  }

  // MARK: Comparing

  private mutating func compare(_ expected: Value, _ found: Value, at path: StatePath) {
    if let matcher = Matcher(expected) {
      if !matcher.accepts(found, matching: matching) {
        addMismatch(path, expected, found) { _ in matcher.text }
      }
      return
    }
    switch (expected, found) {
    case _ where expected.isEmptyTable:
      if !found.isEmptyTable { addMismatch(path, expected, found) { _ in "{}" } }
    case (.record(let fields), .record): compareFields(fields, found, at: path)
    case (.record, .nil):
      // A path that leads nowhere finds no value, which is what `none` expects.
      if !expected.isNoValue { addMismatch(path, expected, found) }
    case (.list(let elements), .list):
      compareElements(elements.byNumber, found, isWhole: true, at: path)
    case (.list(let elements), .map):
      compareElements(elements.byNumber, found, isWhole: isWhole, at: path)
    case (.map(let entries), .list), (.map(let entries), .map):
      compareElements(entries, found, isWhole: isWhole, at: path)
    default:
      if !expected.isLuaEqual(to: found) { addMismatch(path, expected, found) }
    }
  }

  private mutating func compareFields(
    _ fields: [String: Value], _ found: Value, at path: StatePath
  ) {
    let places = NamedPlace.all(in: fields, against: found)
    for place in places {
      compare(
        place.value, found.value(at: place.path) ?? .nil, at: StatePath(path.keys + place.path.keys)
      )
    }
    if isWhole {
      noteUnnamed(found, at: StatePath([]), below: path, among: NamedPaths(places.map(\.path)))
    }
  }

  /// Adds a mismatch for each path that no place names, and for a table as a whole if no place is inside it.
  private mutating func noteUnnamed(
    _ found: Value, at here: StatePath, below path: StatePath, among named: NamedPaths
  ) {
    for key in found.childKeys {
      let child = here.appending(key)
      if named.places.contains(child) { continue }
      guard let value = found[key] else { continue }
      if named.above.contains(child) {
        noteUnnamed(value, at: child, below: path, among: named)
      } else {
        addMismatch(StatePath(path.keys + child.keys), .nil, value)
      }
    }
  }

  private mutating func compareElements(
    _ elements: [Int: Value], _ found: Value, isWhole: Bool, at path: StatePath
  ) {
    var indices = Set(elements.keys)
    if isWhole {
      for case .index(let index) in found.childKeys { indices.insert(index) }
    }
    for index in indices.sorted() {
      let here = path.appending(.index(index))
      let present = found[.index(index)] ?? .nil
      if let expected = elements[index] {
        compare(expected, present, at: here)
      } else {
        addMismatch(here, .nil, present)
      }
    }
  }

  private mutating func addMismatch(
    _ path: StatePath, _ expected: Value, _ found: Value,
    _ wanted: (Value) -> String = Expectation.wanted
  ) {
    mismatches.append(
      Mismatch(
        path: shown(path), expected: shown(expected, at: path, wanted),
        found: shown(found, at: path, Expectation.text)))
  }

  /// Returns the text of a value, or of a matcher, without secrets.
  private func shown(_ value: Value, at path: StatePath, _ text: (Value) -> String) -> String {
    guard let secrets else { return text(value) }
    if secrets.hidesAll(at: path) { return text(value.isNil ? .nil : Secrets.dots) }
    return text(Matcher(value) == nil ? secrets.hiding(value, at: path) : value)
  }

  private func shown(_ path: StatePath) -> String {
    (secrets?.hiding(path) ?? path).description
  }

  private static func wanted(_ value: Value) -> String {
    if case .number(let number) = value, number.isNaN {
      return "nan, which equals nothing, not even itself: use a matcher such as any"
    }
    return value.isNil ? "no value" : Matcher.text(of: value)
  }

  private static func text(_ value: Value) -> String {
    value.isNil ? "no value" : value.text(limit: 300)
  }
}

/// The paths of named places, as sets in which a path is found without a search.
private struct NamedPaths {
  let places: Set<StatePath>
  /// The paths of the tables around the places.
  var above: Set<StatePath> = []

  init(_ paths: [StatePath]) {
    places = Set(paths)
    for path in paths {
      var table = path
      // If a table is known, so are the tables around it.
      while table.keys.popLast() != nil, above.insert(table).inserted {}
    }
  }
}

extension [Value] {
  /// The elements by their keys in Lua, from 1.
  var byNumber: [Int: Value] {
    Dictionary(uniqueKeysWithValues: enumerated().map { ($0 + 1, $1) })
  }
}

extension Value {
  /// True if the expectation holds where nothing exists.
  fileprivate var isNoValue: Bool {
    switch self {
    case .nil: true
    case .record(let fields): !fields.isEmpty && fields.values.allSatisfy(\.isNoValue)
    default: false
    }
  }

  /// The keys of a table in the order of reports.
  fileprivate var childKeys: [StatePath.Key] {
    switch self {
    case .list(let elements): elements.indices.map { .index($0 + 1) }
    case .record(let fields): fields.keys.sorted().map { .field($0) }
    case .map(let entries): entries.keys.sorted().map { .index($0) }
    default: []
    }
  }
}
