import FlowLanguage

extension Shape {
  /// Returns the shape of a flow's state, with the fields of its machines.
  static func state(of flow: Flow) -> Shape {
    var record = Record(title: "state", fields: [:])
    let moved = flow.machines.filter { $0.records != nil }
    for field in flow.fields {
      let place = flow.types.root[field.name] ?? .open
      record.fields[field.name] = Shape(field.shape, place, at: [field.name], moved)
      if case .open = place, field.shape == .string { record.texts.insert(field.name) }
    }
    for machine in flow.machines where machine.records == nil {
      for (number, field) in machine.regionFields {
        record.fields[field] = .choice(machine.values(of: number))
        record.machines[field] = machine.name
      }
    }
    return .record(record)
  }

  /// Makes the shape of a place of the state.
  ///
  /// A record is closed if only records lead to it, or if it has a type; below untyped lists and maps it is open.
  /// `machines` are the machines of records, whose states are fields there.
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
        let below = places[name] ?? .open
        record.fields[name] = Shape(field, below, at: path + [name], machines)
        if case .open = below, field == .string { record.texts.insert(name) }
      }
      record.add(machines, at: path)
      self = .record(record)
    case .list: self = .list(Shape.untyped(at: path + ["*"], machines), nil)
    case .map: self = .map(Shape.untyped(at: path + ["*"], machines), nil)
    case .boolean, .integer, .number, .string, .none, .any: self = .unknown
    }
  }

  /// Returns the shape of an element of an untyped list or map, of which only the machines' fields are known.
  private static func untyped(at path: [String], _ machines: [Machine]) -> Shape {
    var record = Record(title: Shape.title(path), fields: [:], isOpen: true)
    record.add(machines, at: path)
    return record.machines.isEmpty ? .unknown : .record(record)
  }

  /// Makes the shape of a declared type; `*` in a path stands for any key.
  private init(_ type: PayloadType, at path: [String], _ machines: [Machine]) {
    switch type {
    case .boolean, .integer, .number, .string, .oneOf: self = .scalar(type)
    case .any: self = .unknown
    case .listOf(let element, _, _, _):
      self = .list(Shape(element, at: path + ["*"], machines), type)
    case .mapOf(let element, _, _, _):
      self = .map(Shape(element, at: path + ["*"], machines), type)
    case .optional(let inner): self = .optional(Shape(inner, at: path, machines))
    case .record(let fields):
      var record = Record(title: Shape.title(path), fields: [:], type: type)
      for field in fields {
        record.fields[field.name] = Shape(field.type, at: path + [field.name], machines)
      }
      record.add(machines, at: path)
      self = .record(record)
    }
  }

  /// Returns the title of a path: `state.user`, `state.items[...]`.
  private static func title(_ path: [String]) -> String {
    path.reduce("state") { $1 == "*" ? $0 + "[...]" : "\($0).\($1)" }
  }

  /// Returns the shape of the record that a machine of records receives.
  static func record(of records: Machine.Records, in state: Shape) -> Shape {
    (records.path + ["*"]).reduce(state) { shape, name in
      if name != "*" { return shape.record?.fields[name] ?? .unknown }
      guard let record = shape.record else { return shape.present.element }
      return .common(Array(record.fields.values))
    }
  }

  /// The largest number of actions whose payloads are compared.
  static let mostActions = 50

  /// Returns the shape that the payloads of several actions have in common.
  static func payload(of actions: [Action]) -> Shape {
    if actions.count > mostActions { return .unknown }
    let names = actions.prefix(3).map(\.name) + (actions.count > 3 ? ["..."] : [])
    let records = actions.compactMap {
      Shape($0.payload, at: "the payload of \(names.joined(separator: ", "))").record
    }
    guard var record = records.first, records.count == actions.count else { return .unknown }
    for name in Set(records.flatMap(\.fields.keys)) {
      let shapes = records.compactMap { $0.fields[name] }
      // A field that another action lacks may be none.
      let common = records.count == 1 ? shapes[0] : Shape.common(shapes)
      record.fields[name] = shapes.count == records.count ? common : .unknown
    }
    return .record(record)
  }

  /// Returns the shape of the payloads that a function of the file gets; unknown if one is no payload.
  static func payload(of records: [Record]) -> Shape {
    guard let first = records.first,
      records.allSatisfy({ $0.title.hasPrefix("the payload of ") && !$0.isOpen })
    else { return .unknown }
    let others = " or others"
    var merged = Record(
      title: first.title.hasSuffix(others) ? first.title : first.title + others, fields: [:])
    for name in Set(records.flatMap(\.fields.keys)) {
      let shapes = records.compactMap { $0.fields[name] }
      merged.fields[name] = shapes.count == records.count ? common(shapes) : .unknown
    }
    return .record(merged)
  }

  /// Returns the shape of a payload of which only the names of fields are known: those of all actions.
  static func payload(ofAnyOf actions: [Action]) -> Shape {
    let names = Set(actions.flatMap(\.payload.fieldNames))
    return .record(
      Record(
        title: "the payload of any action",
        fields: Dictionary(uniqueKeysWithValues: names.map { ($0, Shape.unknown) })))
  }

  private init(_ type: PayloadType, at title: String) {
    switch type {
    case .boolean, .integer, .number, .string, .oneOf: self = .scalar(type)
    case .any: self = .unknown
    case .listOf(let element, _, _, _): self = .list(Shape(element, at: title), type)
    case .mapOf(let element, _, _, _): self = .map(Shape(element, at: title), type)
    case .optional(let inner): self = .optional(Shape(inner, at: title))
    case .record(let fields):
      var inner: [String: Shape] = [:]
      for field in fields { inner[field.name] = Shape(field.type, at: "\(title).\(field.name)") }
      self = .record(Record(title: title, fields: inner, type: type))
    }
  }

  private static let changes = Shape.list(
    .record(
      Record(title: "a change", fields: ["path": .unknown, "old": .unknown, "new": .unknown])), nil)

  /// The shape of the date that belongs to a time.
  static let date = Shape.record(
    Record(
      title: "a date",
      fields: Dictionary(
        uniqueKeysWithValues: ["year", "month", "day", "hour", "min", "sec", "wday", "yday"].map {
          ($0, Shape.value(.number))
        })))

  /// The shape of the commit that an effect receives.
  static let commit = Shape.record(
    Record(
      title: "the commit",
      fields: [
        "action": .value(.string), "revision": .value(.integer), "cause": .unknown,
        "time": .value(.number), "changes": changes, "writes": changes,
        "moves": .list(
          .record(
            Record(
              title: "a move",
              fields: ["machine": .unknown, "from": .unknown, "to": .unknown, "key": .unknown],
              isOpen: true)), nil),
      ]))
}

extension Machine.Records {
  /// Returns true if a record at that path has the machine.
  fileprivate func hold(_ place: [String]) -> Bool {
    place.count == path.count + 1 && zip(path, place).allSatisfy { $0 == "*" || $0 == $1 }
  }
}

extension Shape.Record {
  /// Adds the fields that machines keep in a record at that path.
  fileprivate mutating func add(_ machines: [Machine], at path: [String]) {
    for machine in machines where machine.records?.hold(path) == true {
      for (number, field) in machine.regionFields {
        fields[field] = .choice(machine.values(of: number))
        self.machines[field] = machine.name
      }
    }
  }
}
