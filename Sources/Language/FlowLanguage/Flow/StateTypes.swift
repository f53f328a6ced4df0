import LuaRuntime

/// The types of the state, as `state { ... }` declares them.
///
/// A place of the state without a type is open, and so is everything below a place of type `any`.
package struct StateTypes: Sendable {
  /// The type of a place of the state.
  package indirect enum Place: Sendable {
    case open
    case typed(PayloadType)
    /// A record at a fixed place, in which some fields have types.
    case record([String: Place])
  }

  /// A field of the declaration that has a type.
  package struct Declared {
    package let path: [String]
    package let type: PayloadType
    package let place: SourcePlace

    /// The path of the field in messages: `state.pos.x`.
    package var title: String { "state." + path.joined(separator: ".") }
  }

  /// The fields of the state for which types are declared.
  package private(set) var root: [String: Place] = [:]
  /// The types of the state, including the fields that machines add to records.
  package private(set) var whole = Place.record([:])
  /// The types by number, as messages name them; number 0 is any value.
  package private(set) var numbered: [PayloadType] = []
  /// The types as VMs use them; nil if nothing has a type.
  package private(set) var table: TypeTable?

  /// - Parameter machines: the machines of the flow, which may add fields to records.
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

  /// True if nothing in the state has a type.
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
    // The record is removed first, so that it is changed in place.
    if case .record(let known) = fields.removeValue(forKey: name) { below = known }
    put(place, at: path.dropFirst(), in: &below)
    fields[name] = .record(below)
  }

  /// Returns the type of the records in a collection; nil if they have none.
  ///
  /// The path may contain `*` for any key.
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

  /// Throws for a table with integer keys that are not 1 to n, unless its type decides if it is a map.
  ///
  /// - Parameter paths: the paths to such tables in a part of the state, each after the number of the value.
  package func requireMaps(at paths: [[ValueKey]]) throws(ListWithHoles) {
    for path in paths {
      let keys = path.dropFirst().map(StatePath.Key.init)
      guard type(at: StatePath(Array(keys)))?.saysWhetherMap == true else {
        throw ListWithHoles(at: path)
      }
    }
  }

  /// Returns the type at a path of the state; nil if any value is allowed there.
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

/// The fields that a machine adds to its records.
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

/// A builder that numbers types; equal types get one number.
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

  /// Returns the number of a type.
  ///
  /// Types are equal if all their properties are, including the machines of the records in them.
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
  /// Returns the place with the fields that a machine adds to records; `path` is the path of this place.
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
  /// Returns the required type and the value found, as the end of a sentence, for a VM that gives the type's
  /// number.
  package func misfit(_ arguments: [Value]) -> String {
    let number = arguments.first?.integerValue ?? 0
    let value = arguments.count > 1 ? arguments[1] : .nil
    guard numbered.indices.contains(number) else { return " does not fit its type" }
    // For a value that is too long or too short, its length is given.
    if arguments.count > 2 { return " must be \(numbered[number].text), got \(value)" }
    return PayloadCheck.misfit(value, numbered[number])
  }

  /// Returns the type errors in a complete state of an earlier version, each with its path; empty if there are none.
  package func misfits(in state: Value, matches: @escaping (String, String) -> Bool) -> [String] {
    StateTypes.misfits(in: state, whole, at: "state", matches)
  }

  private static func misfits(
    in value: Value, _ place: Place, at path: String, _ matches: @escaping (String, String) -> Bool
  ) -> [String] {
    switch place {
    case .open: return []
    case .typed(let type):
      // A new field gets the initial value of its type.
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

  /// Returns true if a machine's path, in which `*` stands for any key, leads to the path of a type.
  fileprivate static func leads(_ path: [String], to other: [String]) -> Bool {
    path.count == other.count && zip(path, other).allSatisfy { $0 == $1 || $0 == "*" }
  }

  /// Returns all properties of a type as a text; equal types have equal texts.
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
