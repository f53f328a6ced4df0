import LuaRuntime

/// Applying patches to values outside the VM, for reports and expectations, which must not touch the state.
extension Value {
  /// Returns the value before the patch, given the value after it.
  package func reverting(_ patch: Patch) -> Value {
    var value = self
    for change in patch.changes.reversed() { value.apply(change.reversed) }
    return value
  }

  /// Returns the value after the patch, given the value before it.
  package func applying(_ patch: Patch) -> Value {
    patch.changes.reduce(self) { $0.applying($1) }
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

  private mutating func edit(_ keys: ArraySlice<StatePath.Key>, _ body: (inout Value) -> Void) {
    guard let first = keys.first else { return body(&self) }
    guard var child = self[first] else { return }
    child.edit(keys.dropFirst(), body)
    put(child, at: first)
  }

  private mutating func put(_ value: Value, at key: StatePath.Key) {
    switch (self, key) {
    // An empty table has no kind: its first value decides it.
    case (_, .field(let name)) where isEmptyTable && !value.isNil: self = .record([name: value])
    case (.record, .index(1)) where isEmptyTable && !value.isNil: self = .list([value])
    case (.record, .index(let index)) where isEmptyTable && !value.isNil:
      self = .map([index: value])
    case (.record(var fields), .field(let name)):
      fields[name] = value.isNil ? nil : value
      self = .record(fields)
    case (.list(var elements), .index(let index)):
      switch index {
      case elements.count where value.isNil: elements.removeLast()
      case 1...max(1, elements.count) where !value.isNil && !elements.isEmpty:
        elements[index - 1] = value
      case elements.count + 1 where !value.isNil: elements.append(value)
      default:
        // The table was a map with the keys 1 to n, which looks like a list as long as it has no others.
        self = .map(
          Dictionary(uniqueKeysWithValues: elements.enumerated().map { ($0 + 1, $1) }))
        return put(value, at: key)
      }
      self = .list(elements)
    case (.map(var entries), .index(let index)):
      entries[index] = value.isNil ? nil : value
      self = .map(entries)
    default: break
    }
  }

  private mutating func removeElement(at key: StatePath.Key) {
    guard case .list(var elements) = self, case .index(let index) = key, index >= 1,
      index <= elements.count
    else { return }
    elements.remove(at: index - 1)
    self = .list(elements)
  }

  private mutating func insertElement(_ value: Value, at key: StatePath.Key) {
    guard var elements = listValue, case .index(let index) = key, index >= 1,
      index <= elements.count + 1
    else { return }
    elements.insert(value, at: index - 1)
    self = .list(elements)
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
