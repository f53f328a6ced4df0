/// A field that `state { ... }` declares.
package struct StateField: Sendable {
  package let name: String
  package let place: SourcePlace
  package let shape: StateShape
}

/// What kind of value the state begins with at some place, and what is below it.
package indirect enum StateShape: Sendable, Hashable {
  case boolean, integer, number, string
  /// A field without a value yet.
  case none
  /// What is too deep down to be told.
  case any
  case list([StateShape])
  case map([StateShape])
  case record([String: StateShape])

  /// Reads what the prelude says of a value.
  init(_ described: Value?) {
    let elements = { Array(Set((described?["elements"]?.listValue ?? []).map(StateShape.init))) }
    switch described?["kind"]?.stringValue {
    case "boolean": self = .boolean
    case "integer": self = .integer
    case "float": self = .number
    case "string": self = .string
    case "list": self = .list(elements())
    case "map": self = .map(elements())
    case "record":
      self = .record((described?["fields"]?.recordValue ?? [:]).mapValues(StateShape.init))
    case "none": self = .none
    default: self = .any
    }
  }
}
