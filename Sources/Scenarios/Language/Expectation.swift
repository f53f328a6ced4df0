import Moonlatch

/// One place at which an expectation and what was found differ.
public struct Mismatch: Sendable, Hashable, Codable {
  /// The path, as `rows[1].note`; empty for the value as a whole.
  public let path: String
  /// What was expected, as Lua source or in words.
  public let expected: String
  /// What was found.
  public let found: String
}

/// Comparing what a scenario expects with what is there.
///
/// In an expectation a record is compared in part, a list whole (its records in part), `{}` means
/// empty, `none` that there is no value, and numbers compare as Lua's `==` does.
enum Expectation {
  /// The mismatches of a part of the state.
  static func part(_ expected: Value, of found: Value) -> [Mismatch] {
    var mismatches: [Mismatch] = []
    compare(spread(expected), found, at: StatePath([]), whole: false, into: &mismatches)
    return mismatches
  }

  /// The mismatches of the whole state: a field that is not named is one.
  static func whole(_ expected: Value, of found: Value) -> [Mismatch] {
    var mismatches: [Mismatch] = []
    compare(spread(expected), found, at: StatePath([]), whole: true, into: &mismatches)
    return mismatches
  }

  /// The mismatches between the leaves that an action was to change and those that it changed.
  static func change(_ expected: Value, from old: Value, to new: Value) -> [Mismatch] {
    var rest = old.leaves(changedTo: new)
    var mismatches: [Mismatch] = []
    for leaf in leaves(of: expected) {
      let covered = rest.filter { $0.path.starts(with: leaf.path) }
      rest.removeAll { $0.path.starts(with: leaf.path) }
      let found = new.value(at: leaf.path) ?? .nil
      if covered.isEmpty {
        mismatches.append(
          Mismatch(
            path: leaf.path.description, expected: "to change to \(text(leaf.value))",
            found: "unchanged, \(text(found))"))
      } else {
        compare(leaf.value, found, at: leaf.path, whole: false, into: &mismatches)
      }
    }
    for change in rest {
      mismatches.append(
        Mismatch(
          path: change.path.description, expected: "no change",
          found: "\(text(change.old)) -> \(text(change.new))"))
    }
    return mismatches
  }

  // MARK: Comparing

  private static func compare(
    _ expected: Value, _ found: Value, at path: StatePath, whole: Bool,
    into mismatches: inout [Mismatch]
  ) {
    switch (expected, found) {
    case (.record(let fields), _) where fields.isEmpty: fallthrough
    case (.list([]), _):
      if !found.isEmptyTable { mismatches.append(mismatch(path, "{}", found)) }
    case (.record(let fields), .record(let present)):
      for name in fields.keys.sorted() {
        compare(
          fields[name] ?? .nil, present[name] ?? .nil, at: path.appending(.field(name)),
          whole: whole, into: &mismatches)
      }
      guard whole else { return }
      for name in present.keys.sorted() where fields[name] == nil {
        mismatches.append(
          mismatch(path.appending(.field(name)), "no value", present[name] ?? .nil))
      }
    case (.list(let elements), .map), (.list(let elements), .list) where elements.isEmpty == false:
      compareList(elements, found, at: path, whole: whole, into: &mismatches)
    case (.map(let entries), _):
      for index in entries.keys.sorted() {
        let key = StatePath.Key.index(index)
        compare(
          entries[index] ?? .nil, found[key] ?? .nil, at: path.appending(key), whole: whole,
          into: &mismatches)
      }
    default:
      if !areEqual(expected, found) { mismatches.append(mismatch(path, text(expected), found)) }
    }
  }

  private static func compareList(
    _ elements: [Value], _ found: Value, at path: StatePath, whole: Bool,
    into mismatches: inout [Mismatch]
  ) {
    let count: Int
    switch found {
    case .list(let present): count = present.count
    case .map(let entries): count = entries.count
    default: count = 0
    }
    for index in 0..<max(elements.count, count) {
      let key = StatePath.Key.index(index + 1)
      let here = path.appending(key)
      let present = found[key] ?? .nil
      if index < elements.count {
        compare(elements[index], present, at: here, whole: whole, into: &mismatches)
      } else {
        mismatches.append(mismatch(here, "no value", present))
      }
    }
  }

  private static func mismatch(_ path: StatePath, _ expected: String, _ found: Value) -> Mismatch {
    Mismatch(path: path.description, expected: expected, found: text(found))
  }

  static func text(_ value: Value) -> String {
    value.isNil ? "no value" : value.text(limit: 300)
  }

  private static func areEqual(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.integer(let a), .number(let b)): Double(a) == b
    case (.number(let a), .integer(let b)): a == Double(b)
    default: a == b
    }
  }

  // MARK: Paths as keys

  /// `{ ["rows[1].note"] = "a" }` names a place as reports print it: such keys are spread out.
  /// A list on the way becomes a map of the indices that were named, so that it is compared in part.
  private static func spread(_ expected: Value) -> Value {
    guard case .record(let fields) = expected else { return expected }
    var result: Value = .record([:])
    if fields.isEmpty { return expected }
    for name in fields.keys.sorted() {
      let value = fields[name] ?? .nil
      let path = StatePath(parsing: name) ?? StatePath([.field(name)])
      result = result.placing(path.keys.count > 1 ? value : spread(value), at: path.keys[...])
    }
    return result
  }

  private struct Leaf {
    let path: StatePath
    let value: Value
  }

  /// The places that an expected change names: scalars, whole lists, `{}` and `none`.
  private static func leaves(of expected: Value) -> [Leaf] {
    var leaves: [Leaf] = []
    collect(expected, at: StatePath([]), into: &leaves)
    return leaves
  }

  private static func collect(_ value: Value, at path: StatePath, into leaves: inout [Leaf]) {
    guard case .record(let fields) = value, !fields.isEmpty || path.keys.isEmpty else {
      leaves.append(Leaf(path: path, value: value))
      return
    }
    for name in fields.keys.sorted() {
      let steps = StatePath(parsing: name)?.keys ?? [.field(name)]
      collect(fields[name] ?? .nil, at: StatePath(path.keys + steps), into: &leaves)
    }
  }
}

extension StatePath {
  /// Reads a path as reports print it; nil for what is none, and for a plain name.
  init?(parsing text: String) {
    guard text.contains(where: { $0 == "." || $0 == "[" }) else { return nil }
    var keys: [Key] = []
    var rest = text[...]
    while let first = rest.first {
      if first == "[" {
        guard let close = rest.firstIndex(of: "]") else { return nil }
        let inside = rest[rest.index(after: rest.startIndex)..<close]
        if let index = Int(inside) {
          keys.append(.index(index))
        } else if inside.count >= 2, inside.first == "\"", inside.last == "\"" {
          keys.append(.field(String(inside.dropFirst().dropLast())))
        } else {
          return nil
        }
        rest = rest[rest.index(after: close)...]
      } else {
        if first == "." {
          guard !keys.isEmpty else { return nil }
          rest = rest.dropFirst()
        } else if !keys.isEmpty {
          return nil
        }
        let name = rest.prefix { $0 != "." && $0 != "[" }
        guard Value.isName(String(name)) else { return nil }
        keys.append(.field(String(name)))
        rest = rest[name.endIndex...]
      }
    }
    self.init(keys)
  }

  func starts(with prefix: StatePath) -> Bool { keys.starts(with: prefix.keys) }
}

extension Value {
  func value(at path: StatePath) -> Value? {
    var value = self
    for key in path.keys {
      guard let next = value[key] else { return nil }
      value = next
    }
    return value
  }

  var isEmptyTable: Bool {
    switch self {
    case .list(let elements): elements.isEmpty
    case .record(let fields): fields.isEmpty
    case .map(let entries): entries.isEmpty
    default: false
    }
  }

  /// The value with another one placed at the end of the keys, tables made on the way.
  fileprivate func placing(_ value: Value, at keys: ArraySlice<StatePath.Key>) -> Value {
    guard let first = keys.first else { return value }
    switch first {
    case .field(let name):
      var fields = recordValue ?? [:]
      fields[name] = (fields[name] ?? .record([:])).placing(value, at: keys.dropFirst())
      return .record(fields)
    case .index(let index):
      var entries: [Int: Value] = [:]
      if case .map(let present) = self { entries = present }
      entries[index] = (entries[index] ?? .record([:])).placing(value, at: keys.dropFirst())
      return .map(entries)
    }
  }
}
