import LuaRuntime

/// A field that `state { ... }` declares.
package struct StateField: Sendable {
  package let name: String
  package let place: SourcePlace
  package private(set) var shape: StateShape

  init(name: String, place: SourcePlace, shape: StateShape) {
    (self.name, self.place, self.shape) = (name, place, shape)
  }

  /// Sets the type of the field, or of a place below it.
  package mutating func take(_ type: PayloadType, at path: ArraySlice<String>) {
    shape = shape.taking(StateShape(type), at: path)
  }
}

/// The kind of the initial value at some place of the state, and of the values below it.
package indirect enum StateShape: Sendable, Hashable {
  case boolean, integer, number, string
  /// The place has no value yet.
  case none
  /// The value is unknown, because it is nested too deeply.
  case any
  case list([StateShape])
  case map([StateShape])
  case record([String: StateShape])

  /// Reads the prelude's description of a value.
  package init(_ described: Value?) {
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

extension StateShape {
  /// Creates the shape of values of a type.
  package init(_ type: PayloadType) {
    switch type {
    case .boolean: self = .boolean
    case .integer: self = .integer
    case .number: self = .number
    case .string: self = .string
    case .any: self = .any
    case .oneOf(let values, _):
      let shapes = Set(values.map(StateShape.shape(of:)))
      self = shapes.count == 1 ? shapes.first ?? .any : .any
    case .optional(let inner): self = StateShape(inner)
    case .listOf(let element, _, _, _): self = .list([StateShape(element)])
    case .mapOf(let element, _, _, _): self = .map([StateShape(element)])
    case .record(let fields):
      self = .record(
        Dictionary(fields.map { ($0.name, StateShape($0.type)) }, uniquingKeysWith: { $1 }))
    }
  }

  private static func shape(of value: Value) -> StateShape {
    switch value {
    case .boolean: .boolean
    case .integer: .integer
    case .number: .number
    case .string: .string
    default: .any
    }
  }

  fileprivate func taking(_ shape: StateShape, at path: ArraySlice<String>) -> StateShape {
    guard let name = path.first else { return shape }
    guard case .record(var fields) = self, let below = fields[name] else { return self }
    fields[name] = below.taking(shape, at: path.dropFirst())
    return .record(fields)
  }
}
