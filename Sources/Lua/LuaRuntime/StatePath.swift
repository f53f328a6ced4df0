/// A place in the state: the keys from the root down.
///
/// ```swift
/// path.description  // rows[1].note
/// ```
public struct StatePath: Sendable, Hashable, CustomStringConvertible {
  /// A key of a path.
  public enum Key: Sendable, Hashable {
    /// A field of a record.
    case field(String)
    /// An element of a list or a map with integer keys, counted as Lua does.
    case index(Int)

    /// Compares two keys; names are equal if their bytes are, as in Lua.
    public static func == (a: Key, b: Key) -> Bool {
      switch (a, b) {
      case (.field(let a), .field(let b)): a.isSame(as: b)
      case (.index(let a), .index(let b)): a == b
      default: false
      }
    }

    package init(_ key: ValueKey) {
      switch key {
      case .field(let name): self = .field(name)
      case .index(let index): self = .index(index)
      }
    }
  }

  /// The keys, outermost first.
  public var keys: [Key]

  /// Creates a path of its keys.
  public init(_ keys: [Key]) { self.keys = keys }

  /// Returns the path extended by a key.
  public func appending(_ key: Key) -> StatePath { StatePath(keys + [key]) }

  /// The path as messages and expectations write it: `rows[1].note`.
  public var description: String {
    var text = ""
    for key in keys {
      switch key {
      case .index(let index): text += "[\(index)]"
      case .field(let name) where Value.isName(name): text += text.isEmpty ? name : ".\(name)"
      case .field(let name): text += Value.key(name)
      }
    }
    return text
  }
}

extension StatePath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// Creates the path to a field of the root: `"coins"`, whatever characters the name contains.
  public init(stringLiteral name: String) { self.init([.field(name)]) }
  /// Creates a path of several keys: `["rows", 1, "note"]`.
  public init(arrayLiteral keys: Key...) { self.init(keys) }
}

extension StatePath.Key: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// Creates the key of a field: `"note"`.
  public init(stringLiteral name: String) { self = .field(name) }
  /// Creates the key of an element: `1` is the first.
  public init(integerLiteral index: Int) { self = .index(index) }
}

extension StatePath.Key {
  package init?(_ value: Value) {
    switch value {
    case .string(let name): self = .field(name)
    case .integer(let index): self = .index(index)
    default: return nil
    }
  }

  package var value: Value {
    switch self {
    case .field(let name): .string(name)
    case .index(let index): .integer(index)
    }
  }
}
