/// A place in the state: the keys from the root down.
///
/// ```swift
/// path.description  // rows[1].note
/// ```
public struct StatePath: Sendable, Hashable, CustomStringConvertible {
  /// One step down.
  public enum Key: Sendable, Hashable {
    /// A field of a record.
    case field(String)
    /// An element of a list or a map with integer keys, counted as Lua does.
    case index(Int)

    /// Names are equal where their bytes are, as in Lua.
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

  /// Makes a path of its keys.
  public init(_ keys: [Key]) { self.keys = keys }

  /// The path one step further down.
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
  /// `"coins"` is the field of that name, whatever letters are in it.
  public init(stringLiteral name: String) { self.init([.field(name)]) }
  /// `["rows", 1, "note"]` is a place further down.
  public init(arrayLiteral keys: Key...) { self.init(keys) }
}

extension StatePath.Key: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// `"note"` is the field of that name.
  public init(stringLiteral name: String) { self = .field(name) }
  /// `1` is the first element.
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
