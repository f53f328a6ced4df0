import LuaRuntime

/// Applying patches to values outside the VM, for reports and expectations, which must not touch the state.
extension Value {
  /// Returns the value before the patch, given the value after it.
  package func reverting(_ patch: Patch) -> Value {
    var value = self
    value.revert(patch.changes)
    return value
  }

  /// Changes the value after some changes into the value before them.
  package mutating func revert(_ changes: [Patch.Change]) {
    for change in changes.reversed() { apply(change.reversed) }
  }

  /// Returns the value after the patch, given the value before it.
  package func applying(_ patch: Patch) -> Value {
    var value = self
    value.apply(patch.changes)
    return value
  }

  /// Changes the value before some changes into the value after them.
  package mutating func apply(_ changes: [Patch.Change]) {
    for change in changes { apply(change) }
  }

  /// Returns the value after one change, given the value before it.
  package func applying(_ change: Patch.Change) -> Value {
    var value = self
    value.apply(change)
    return value
  }

  private mutating func apply(_ change: Patch.Change) {
    guard let last = change.path.keys.last else { return }
    edit(change.path.keys.dropLast()) { parent in
      switch change.operation {
      case .set: parent.put(change.new, at: last)
      case .insert: parent.insertElement(change.new, at: last)
      case .remove: parent.removeElement(at: last)
      }
    }
  }

  /// Changes the value at a path; does nothing if there is none.
  private mutating func edit(_ keys: ArraySlice<StatePath.Key>, _ body: (inout Value) -> Void) {
    guard let first = keys.first else { return body(&self) }
    guard self[first] != nil else { return }
    let rest = keys.dropFirst()
    switch first {
    case .field(let name):
      guard var fields = takeFields() else { return }
      fields[name]?.edit(rest, body)
      self = .record(fields)
    case .index(let index):
      if var elements = takeElements() {
        elements[index - 1].edit(rest, body)
        self = .list(elements)
      } else if var entries = takeEntries() {
        entries[index]?.edit(rest, body)
        self = .map(entries)
      }
    }
  }

  private mutating func put(_ value: Value, at key: StatePath.Key) {
    if isEmptyTable, !value.isNil, let table = first(value, at: key) {
      self = table
      return
    }
    switch key {
    case .field(let name):
      guard var fields = takeFields() else { return }
      fields[name] = value.isNil ? nil : value
      self = .record(fields)
    case .index(let index):
      if var elements = takeElements() {
        switch index {
        case elements.count where value.isNil && index > 0: elements.removeLast()
        case elements.count + 1 where !value.isNil: elements.append(value)
        case 1...max(1, elements.count) where !value.isNil && !elements.isEmpty:
          elements[index - 1] = value
        default:
          // The table was a map with the keys 1 to n, which looks like a list as long as it has no others.
          self = .map(
            Dictionary(uniqueKeysWithValues: elements.enumerated().map { ($0 + 1, $1) }))
          return put(value, at: key)
        }
        self = .list(elements)
      } else if var entries = takeEntries() {
        entries[index] = value.isNil ? nil : value
        self = .map(entries)
      }
    }
  }

  /// Returns an empty table with its first value, which decides its kind; nil if it has a kind that the key fits.
  private func first(_ value: Value, at key: StatePath.Key) -> Value? {
    switch (self, key) {
    case (_, .field(let name)): .record([name: value])
    case (.record, .index(1)): .list([value])
    case (.record, .index(let index)): .map([index: value])
    default: nil
    }
  }

  private mutating func removeElement(at key: StatePath.Key) {
    guard case .index(let index) = key, var elements = takeElements() else { return }
    if index >= 1, index <= elements.count { elements.remove(at: index - 1) }
    self = .list(elements)
  }

  private mutating func insertElement(_ value: Value, at key: StatePath.Key) {
    guard case .index(let index) = key, index >= 1, let count = listValue?.count,
      index <= count + 1
    else { return }
    var elements = takeElements() ?? []
    elements.insert(value, at: index - 1)
    self = .list(elements)
  }

  // MARK: Tables with one owner

  // A table that is taken out of its value has one owner: to change it copies none of its elements.

  private mutating func takeElements() -> [Value]? {
    guard case .list(let elements) = self else { return nil }
    self = .nil
    return elements
  }

  private mutating func takeFields() -> [String: Value]? {
    guard case .record(let fields) = self else { return nil }
    self = .nil
    return fields
  }

  private mutating func takeEntries() -> [Int: Value]? {
    guard case .map(let entries) = self else { return nil }
    self = .nil
    return entries
  }
}

/// A leaf that differs between two values.
package struct LeafChange: Sendable, Hashable {
  package let path: StatePath
  package let old: Value
  package let new: Value
}

extension Value {
  /// Returns the leaves that differ between this value and another one, in the order of their paths.
  ///
  /// A record that exists on only one side is reported leaf by leaf. An empty table is a leaf.
  package func leaves(changedTo new: Value) -> [LeafChange] {
    var changes: [LeafChange] = []
    Value.compare(self, new, at: StatePath([]), into: &changes)
    return changes
  }

  private static func compare(
    _ old: Value, _ new: Value, at path: StatePath, into changes: inout [LeafChange]
  ) {
    if old == new { return }
    let oldChildren = old.children
    let newChildren = new.children
    if oldChildren.isEmpty && newChildren.isEmpty {
      if old.isEmptyTable && new.isEmptyTable { return }
      changes.append(LeafChange(path: path, old: old, new: new))
      return
    }
    // A leaf became a table, or the reverse: the leaf itself is removed.
    if oldChildren.isEmpty, !old.isNil, !old.isEmptyTable {
      changes.append(LeafChange(path: path, old: old, new: .nil))
    }
    let keys = Set(oldChildren.keys).union(newChildren.keys).sorted(by: Value.precedes)
    for key in keys {
      compare(
        oldChildren[key] ?? .nil, newChildren[key] ?? .nil, at: path.appending(key), into: &changes)
    }
    if newChildren.isEmpty, !new.isNil, !new.isEmptyTable {
      changes.append(LeafChange(path: path, old: .nil, new: new))
    }
  }

  private static func precedes(_ a: StatePath.Key, _ b: StatePath.Key) -> Bool {
    switch (a, b) {
    case (.index(let a), .index(let b)): a < b
    case (.field(let a), .field(let b)): a < b
    case (.index, .field): true
    case (.field, .index): false
    }
  }

  /// True if the value is a table without content.
  package var isEmptyTable: Bool {
    switch self {
    case .list(let elements): elements.isEmpty
    case .record(let fields): fields.isEmpty
    case .map(let entries): entries.isEmpty
    default: false
    }
  }

  private var children: [StatePath.Key: Value] {
    switch self {
    case .list(let elements):
      Dictionary(
        uniqueKeysWithValues: elements.enumerated().map { (.index($0.offset + 1), $0.element) })
    case .record(let fields):
      Dictionary(uniqueKeysWithValues: fields.map { (.field($0.key), $0.value) })
    case .map(let entries):
      Dictionary(uniqueKeysWithValues: entries.map { (.index($0.key), $0.value) })
    default: [:]
    }
  }
}
