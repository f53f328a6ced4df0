/// Approximate sizes of values outside of Lua in bytes, used to bound the memory of a host.
package enum ValueSize {
  /// The bytes of a list, a record or a map itself.
  static let collection = 64
  /// The bytes of an element of a list.
  static let element = MemoryLayout<Value>.stride
  /// The bytes of a field of a record or an entry of a map, with the free space of a dictionary.
  static let field = 2 * (MemoryLayout<Value>.stride + MemoryLayout<String>.stride)

  /// Returns the bytes of a text besides its own slot; 0 for short texts, which are stored inline.
  static func text(_ length: Int) -> Int { length < 16 ? 0 : 32 + length }
}

extension Value {
  /// The approximate size of the value outside of Lua in bytes, besides its own slot.
  package var size: Int {
    switch self {
    case .nil, .boolean, .integer, .number: 0
    case .string(let text): ValueSize.text(text.utf8.count)
    case .list(let elements):
      elements.reduce(ValueSize.collection) { $0 + ValueSize.element + $1.size }
    case .record(let fields):
      fields.isEmpty
        ? 0
        : fields.reduce(ValueSize.collection) {
          $0 + ValueSize.field + ValueSize.text($1.key.utf8.count) + $1.value.size
        }
    case .map(let entries):
      entries.reduce(ValueSize.collection) { $0 + ValueSize.field + $1.value.size }
    }
  }
}
