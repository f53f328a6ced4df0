import LuaRuntime

/// A step from a value to a part of it, which becomes a key only if the path is needed.
package enum CodingStep {
  /// An element of a list, counted from 0.
  case index(Int)
  /// A field of a dictionary.
  case name(String)
  /// A field of a container.
  case key(any CodingKey)

  package var key: any CodingKey {
    switch self {
    case .index(let index): PlaceKey(intValue: index)
    case .name(let name): DictionaryKey(stringValue: name)
    case .key(let key): key
    }
  }
}

/// A key of a dictionary, as Swift's own dictionaries encode it: a text that is a number is also an integer key.
struct DictionaryKey: CodingKey {
  package let stringValue: String
  package let intValue: Int?

  package init(stringValue: String) {
    (self.stringValue, intValue) = (stringValue, Int(stringValue))
  }
  package init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}
