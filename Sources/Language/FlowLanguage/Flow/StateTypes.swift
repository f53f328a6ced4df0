import LuaRuntime

/// What may stand in the state, as `state { ... }` declares it with types.
///
/// A place of the state that no type speaks of is open, as is what stands below one of type `any`.
package struct StateTypes: Sendable {
  /// What a place of the state says of itself.
  package indirect enum Place: Sendable {
    case open
    case typed(PayloadType)
    /// A record that only this place has, in which some fields have types.
    case record([String: Place])
  }

  /// A field of the declaration that has a type.
  package struct Declared {
    package let path: [String]
    package let type: PayloadType
    package let place: SourcePlace

    /// Its place as messages name it: `state.pos.x`.
    package var title: String { "state." + path.joined(separator: ".") }
  }

  /// The fields of the state, each as far as it has a type.
  package private(set) var root: [String: Place] = [:]
  /// The same with the fields that machines have in records.
  package private(set) var whole = Place.record([:])
  /// The types by number, as messages name them; number 0 is any value.
  package private(set) var numbered: [PayloadType] = []
  /// The same for VMs; nil where nothing has a type.
  package private(set) var table: TypeTable?

  /// - Parameter machines: what machines add to the records that they are of.
  package init(
    _ declared: [Declared], machines: [Machine]
  ) throws(ScriptError) {
    if declared.isEmpty { return }
    for field in declared { StateTypes.put(.typed(field.type), at: field.path[...], in: &root) }
    let fields = machines.compactMap(RecordFields.init)
    whole = fields.reduce(into: Place.record(root)) { $0 = $0.adding($1, at: []) }
    var builder = TypeBuilder(machines: fields)
    let root = builder.number(of: whole, at: [])
    numbered = builder.types
    table = try TypeTable(builder.specs, root: root)
  }

  package init() {}

  /// True if nothing of the state has a type.
  package var isEmpty: Bool { root.isEmpty }

  private static func put(
    _ place: Place, at path: ArraySlice<String>, in fields: inout [String: Place]
  ) {
    guard let name = path.first else { return }
    if path.count == 1 {
      fields[name] = place
      return
    }
    var below: [String: Place] = [:]
    // Taken out, so that it is changed in place.
    if case .record(let known) = fields.removeValue(forKey: name) { below = known }
    put(place, at: path.dropFirst(), in: &below)
    fields[name] = .record(below)
  }

  /// What the records of a collection are, of which the path may have `*` for any key; nil where that has no
  /// type.
  package func typeOfRecords(at path: [String]) -> PayloadType? {
    var place = Place.record(root)
    for (index, name) in path.enumerated() {
      switch place {
      case .record(let fields): place = fields[name] ?? .open
      case .typed(let type): return type.part(at: path[index...] + ["*"])
      case .open: return nil
      }
    }
    guard case .typed(let type) = place else { return nil }
    return type.part(at: ["*"])
  }

  /// Throws for a table with integer keys, not 1 to n, that nobody calls a map, where no type says so either.
  ///
  /// - Parameter paths: where such tables stand in a part of the state, behind the number of the value.
  package func requireMaps(at paths: [[ValueKey]]) throws(ListWithHoles) {
    for path in paths {
      let keys = path.dropFirst().map(StatePath.Key.init)
      guard type(at: StatePath(Array(keys)))?.saysWhetherMap == true else {
        throw ListWithHoles(at: path)
      }
    }
  }

  /// What stands at a path of the state may be; nil where it may be anything.
  package func type(at path: StatePath) -> PayloadType? {
    var place = Place.record(root)
    for key in path.keys {
      switch (place, key) {
      case (.record(let fields), .field(let name)): place = fields[name] ?? .open
      case (.typed(let type), let key): place = type.part(at: key).map(Place.typed) ?? .open
      default: return nil
      }
    }
    if case .typed(let type) = place { return type }
    return nil
  }
}

/// The fields that a machine adds to the records that it is of.
private struct RecordFields {
  let path: [String]
  let fields: [(name: String, type: PayloadType)]

  init?(_ machine: Machine) {
    guard let records = machine.records else { return nil }
    path = records.path + ["*"]
    fields = machine.regionFields.map { number, field in
      let values = machine.values(of: number).map(Value.string)
      return (field, .oneOf(values, .init(defaultValue: nil, samples: [])))
    }
  }
}

/// Numbers types: equal ones are one.
private struct TypeBuilder {
  let machines: [RecordFields]
  private(set) var specs: [TypeTable.Spec] = []
  private(set) var types: [PayloadType] = [.any(.init(defaultValue: nil, samples: []))]
  private var known: [String: UInt32] = [:]

  init(machines: [RecordFields]) { self.machines = machines }

  mutating func number(of place: StateTypes.Place, at path: [String]) -> UInt32 {
    switch place {
    case .open: return 0
    case .typed(let type): return number(of: type, at: path)
    case .record(let places):
      var spec = TypeTable.Spec(.record)
      spec.isPlace = true
      for (name, below) in places.sorted(by: { $0.key < $1.key }) {
        let number = self.number(of: below, at: path + [name])
        spec.fields.append(
          .init(name: name, type: number, mayBeNil: below.mayBeNil, isMachines: false))
      }
      return add(spec, .record([]))
    }
  }

  /// Types are told apart by all that they say, and where records in them have a machine by that.
  private mutating func number(of type: PayloadType, at path: [String]) -> UInt32 {
    if case .optional(let inner) = type { return number(of: inner, at: path) }
    if case .any(let common) = type, common.defaultValue == nil, !common.isSecret { return 0 }
    var spec = TypeTable.Spec(type.kind)
    spec.isSecret = type.isSecret
    switch type {
    case .integer(let min, let max, _), .number(let min, let max, _):
      (spec.min, spec.max) = (min, max)
    case .string(let pattern, let min, let max, _):
      spec.pattern = pattern
      spec.lengths = lengths(min, max)
    case .oneOf(let values, _): spec.choices = values
    case .listOf(let element, let min, let max, _):
      spec.lengths = lengths(min, max)
      spec.element = number(of: element, at: path + ["*"])
    case .mapOf(let element, let key, let max, _):
      spec.lengths = lengths(nil, max)
      spec.element = number(of: element, at: path + ["*"])
      spec.key = key.map { number(of: $0, at: []) } ?? 0
    case .record(let fields):
      let own = machineFields(at: path)
      spec.fields = fields.map { field in
        .init(
          name: field.name, type: number(of: field.type, at: path + [field.name]),
          mayBeNil: field.type.isOptional, isMachines: own.contains(field.name))
      }
    case .boolean, .any, .optional: break
    }
    spec.begins = type.beginning
    let text = StateTypes.encoded(spec)
    if let number = known[text] { return number }
    let added = add(spec, type)
    known[text] = added
    return added
  }

  private func machineFields(at path: [String]) -> Set<String> {
    Set(machines.filter { StateTypes.leads($0.path, to: path) }.flatMap(\.fields).map(\.name))
  }

  private func lengths(_ min: Int?, _ max: Int?) -> ClosedRange<UInt32> {
    let least = UInt32(clamping: min ?? 0)
    return least...Swift.max(least, max.map { UInt32(clamping: $0) } ?? .max)
  }

  private mutating func add(_ spec: TypeTable.Spec, _ type: PayloadType) -> UInt32 {
    specs.append(spec)
    types.append(type)
    return UInt32(specs.count)
  }
}

extension StateTypes.Place {
  /// The same with the fields that a machine has in records; `path` is where this stands.
  fileprivate func adding(_ added: RecordFields, at path: [String]) -> StateTypes.Place {
    switch self {
    case .open: .open
    case .typed(let type): .typed(type.adding(added, at: path))
    case .record(let places):
      .record(
        Dictionary(
          uniqueKeysWithValues: places.map { ($0, $1.adding(added, at: path + [$0])) }))
    }
  }

  fileprivate var mayBeNil: Bool {
    if case .typed(let type) = self { return type.isOptional }
    return false
  }
}

extension PayloadType {
  fileprivate func adding(_ added: RecordFields, at path: [String]) -> PayloadType {
    switch self {
    case .optional(let inner): return .optional(inner.adding(added, at: path))
    case .listOf(let element, let min, let max, let common):
      return .listOf(
        element.adding(added, at: path + ["*"]), minLength: min, maxLength: max, common)
    case .mapOf(let element, let key, let max, let common):
      return .mapOf(
        element.adding(added, at: path + ["*"]), key: key, maxLength: max, common)
    case .record(let fields):
      var all = fields.map {
        Field(name: $0.name, type: $0.type.adding(added, at: path + [$0.name]))
      }
      if StateTypes.leads(added.path, to: path) {
        all += added.fields.map { Field(name: $0.name, type: .optional($0.type)) }
        all.sort { $0.name < $1.name }
      }
      return .record(all)
    default: return self
    }
  }
}

extension StateTypes {
  /// What a type must be and what was found, as the end of a sentence, for a VM that names the type by its
  /// number.
  package func misfit(_ arguments: [Value]) -> String {
    let number = arguments.first?.integerValue ?? 0
    let value = arguments.count > 1 ? arguments[1] : .nil
    guard numbered.indices.contains(number) else { return " does not fit its type" }
    // Of what is too long or too short its length is told.
    if arguments.count > 2 { return " must be \(numbered[number].text), got \(value)" }
    return PayloadCheck.misfit(value, numbered[number])
  }

  /// What does not fit in a whole state that stood before, each with its place; nothing where all fits.
  package func misfits(in state: Value, matches: @escaping (String, String) -> Bool) -> [String] {
    StateTypes.misfits(in: state, whole, at: "state", matches)
  }

  private static func misfits(
    in value: Value, _ place: Place, at path: String, _ matches: @escaping (String, String) -> Bool
  ) -> [String] {
    switch place {
    case .open: return []
    case .typed(let type):
      // What is new begins as its type says.
      if value.isNil, type.beginning != nil { return [] }
      var check = PayloadCheck(isState: true, matches: matches)
      return check.faults(of: value, type, at: path)
    case .record(let places):
      guard let fields = value.recordValue else { return [] }
      return places.sorted { $0.key < $1.key }.flatMap { name, below in
        misfits(in: fields[name] ?? .nil, below, at: PayloadCheck.step(path, name), matches)
      }
    }
  }

  /// True if a machine's path, in which `*` stands for any key, leads to that of a type.
  fileprivate static func leads(_ path: [String], to other: [String]) -> Bool {
    path.count == other.count && zip(path, other).allSatisfy { $0 == $1 || $0 == "*" }
  }

  /// All that a type says, in which equal ones are equal.
  fileprivate static func encoded(_ spec: TypeTable.Spec) -> String {
    let values = [spec.min, spec.max, spec.begins].map { $0?.description ?? "-" }
    let fields = spec.fields.map {
      "\($0.name.utf8.count):\($0.name)=\($0.type),\($0.mayBeNil),\($0.isMachines)"
    }
    return
      "\(spec.kind) \(values) \(spec.lengths) \(spec.element) \(spec.key) "
      + "\(spec.pattern ?? "-") \(spec.choices.map(\.description)) \(spec.isSecret) \(fields)"
  }
}

extension PayloadType {
  fileprivate var kind: TypeTable.Spec.Kind {
    switch self {
    case .boolean: .boolean
    case .integer: .integer
    case .number: .number
    case .string: .string
    case .any: .any
    case .oneOf: .oneOf
    case .listOf: .list
    case .mapOf: .map
    case .optional(let inner): inner.kind
    case .record: .record
    }
  }
}
