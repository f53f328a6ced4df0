import Moonlatch

/// What may stand at a place of the state or of a payload, as far as a flow says.
///
/// Whoever asks knows nothing of where it was declared.
indirect enum Shape: Sendable {
  /// Anything.
  case unknown
  case boolean, integer, number, string
  /// One of these.
  case choice([Value])
  /// A closed record.
  case record(Record)
  case list(Shape), map(Shape)

  struct Record: Sendable {
    /// What a message calls it: `state.user`, `the payload of add`.
    let title: String
    var fields: [String: Shape]
    /// The fields that a machine moves, with its name.
    var machines: [String: String] = [:]
    var isPayload = false
  }

  /// What a field or a key of it leads to.
  var element: Shape {
    switch self {
    case .list(let element), .map(let element): element
    default: .unknown
    }
  }
}

extension Shape {
  /// The state of a flow, with what its machines keep there.
  static func state(of flow: Flow) -> Shape {
    var fields: [String: Shape] = [:]
    var machines: [String: String] = [:]
    let moved = flow.machines.filter { $0.records != nil }
    for field in flow.fields {
      fields[field.name] = Shape(
        field.shape, flow.types.root[field.name] ?? .open, at: [field.name], moved)
    }
    for machine in flow.machines where machine.records == nil {
      for (number, field) in machine.regionFields {
        fields[field] = .choice(machine.values(of: number).map { .string($0) })
        machines[field] = machine.name
      }
    }
    return .record(Record(title: "state", fields: fields, machines: machines))
  }

  /// A record is closed where records alone lead to it, or where it has a type: below lists and maps
  /// without types anything goes.
  ///
  /// `machines` are those of records, which keep their states there.
  private init(
    _ shape: StateShape, _ place: StateTypes.Place, at path: [String], _ machines: [Machine]
  ) {
    if case .typed(let type) = place {
      self = Shape(type, at: path, machines)
      return
    }
    switch shape {
    case .record(let fields):
      var places: [String: StateTypes.Place] = [:]
      if case .record(let typed) = place { places = typed }
      var record = Record(title: Shape.title(path), fields: [:])
      for (name, field) in fields {
        record.fields[name] = Shape(field, places[name] ?? .open, at: path + [name], machines)
      }
      record.add(machines, at: path)
      self = .record(record)
    case .list: self = .list(.unknown)
    case .map: self = .map(.unknown)
    case .boolean, .integer, .number, .string, .none, .any: self = .unknown
    }
  }

  /// What a type of the state says, in which `*` of a path stands for any key.
  private init(_ type: PayloadType, at path: [String], _ machines: [Machine]) {
    switch type {
    case .boolean: self = .boolean
    case .integer: self = .integer
    case .number: self = .number
    case .string: self = .string
    case .any: self = .unknown
    case .oneOf(let values, _): self = .choice(values)
    case .listOf(let element, _, _, _): self = .list(Shape(element, at: path + ["*"], machines))
    case .mapOf(let element, _, _, _): self = .map(Shape(element, at: path + ["*"], machines))
    case .optional(let type): self = Shape(type, at: path, machines)
    case .record(let fields):
      var record = Record(title: Shape.title(path), fields: [:])
      for field in fields {
        record.fields[field.name] = Shape(field.type, at: path + [field.name], machines)
      }
      record.add(machines, at: path)
      self = .record(record)
    }
  }

  /// `state.user`, `state.items[...]`.
  private static func title(_ path: [String]) -> String {
    path.reduce("state") { $1 == "*" ? $0 + "[...]" : "\($0).\($1)" }
  }

  /// The payload of an action.
  static func payload(of action: Action) -> Shape {
    guard case .record(var record) = Shape(action.payload, at: "the payload of \(action.name)")
    else { return .unknown }
    record.isPayload = true
    return .record(record)
  }

  private init(_ type: PayloadType, at title: String) {
    switch type {
    case .boolean: self = .boolean
    case .integer: self = .integer
    case .number: self = .number
    case .string: self = .string
    case .any: self = .unknown
    case .oneOf(let values, _): self = .choice(values)
    case .listOf(let element, _, _, _): self = .list(Shape(element, at: title))
    case .mapOf(let element, _, _, _): self = .map(Shape(element, at: title))
    case .optional(let type): self = Shape(type, at: title)
    case .record(let fields):
      var inner: [String: Shape] = [:]
      for field in fields { inner[field.name] = Shape(field.type, at: "\(title).\(field.name)") }
      self = .record(Record(title: title, fields: inner, isPayload: true))
    }
  }
}

extension Machine.Records {
  /// Whether a record there has the machine.
  fileprivate func hold(_ place: [String]) -> Bool {
    place.count == path.count + 1 && zip(path, place).allSatisfy { $0 == "*" || $0 == $1 }
  }
}

extension Shape.Record {
  /// Adds what machines keep in a record that is there.
  fileprivate mutating func add(_ machines: [Machine], at path: [String]) {
    for machine in machines where machine.records?.hold(path) == true {
      for (number, field) in machine.regionFields {
        fields[field] = .choice(machine.values(of: number).map { .string($0) })
        self.machines[field] = machine.name
      }
    }
  }
}
