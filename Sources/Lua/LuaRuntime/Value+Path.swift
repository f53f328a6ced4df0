extension Value {
  /// Returns the value at a path, or nil if there is none.
  package func value(at path: StatePath) -> Value? {
    var value = self
    for key in path.keys {
      guard let next = value[key] else { return nil }
      value = next
    }
    return value
  }

  /// The value at a path, or `.nil` if there is none.
  package subscript(path: StatePath) -> Value {
    path.keys.reduce(self) { $0[$1] ?? .nil }
  }

  /// The value under a key, or nil if there is none.
  package subscript(key: StatePath.Key) -> Value? {
    switch (self, key) {
    case (.record, .field(let name)): self[name]
    case (.list(let elements), .index(let index)):
      index >= 1 && index <= elements.count ? elements[index - 1] : nil
    case (.map(let entries), .index(let index)): entries[index]
    default: nil
    }
  }
}
