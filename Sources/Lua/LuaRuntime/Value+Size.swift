/// What values take outside of Lua, about: enough to bound what a host keeps.
package enum ValueSize {
  /// What a list, a record or a map takes by itself.
  static let collection = 64
  /// What an element of a list takes.
  static let element = MemoryLayout<Value>.stride
  /// What a field of a record or an entry of a map takes, with the room that a dictionary leaves.
  static let field = 2 * (MemoryLayout<Value>.stride + MemoryLayout<String>.stride)

  /// What a text takes besides the place in which it stands: short ones nothing.
  static func text(_ length: Int) -> Int { length < 16 ? 0 : 32 + length }
}

extension Value {
  /// The bytes that the value takes outside of Lua, about, besides the place in which it stands.
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
