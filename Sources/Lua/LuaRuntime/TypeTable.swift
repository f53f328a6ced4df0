import CLatch

/// The types of a flow's state as VMs use them, by number, made once and shared.
package final class TypeTable: @unchecked Sendable {
  /// The description of a type.
  package struct Spec {
    package enum Kind: Sendable {
      case any, boolean, integer, number, string, oneOf, list, map, record
    }

    package struct Field {
      package let name: String
      package let type: UInt32
      package let mayBeNil: Bool
      package let isMachines: Bool

      package init(name: String, type: UInt32, mayBeNil: Bool, isMachines: Bool) {
        (self.name, self.type) = (name, type)
        (self.mayBeNil, self.isMachines) = (mayBeNil, isMachines)
      }
    }

    package let kind: Kind
    /// True for the record at a fixed place of the state, which may hold fields without a type.
    package var isPlace = false
    /// True if values of the type are never shown.
    package var isSecret = false
    package var min: Value?
    package var max: Value?
    /// The lengths that are allowed: characters of a text, elements of a list or map.
    package var lengths: ClosedRange<UInt32> = 0...UInt32.max
    /// The type number of elements, 0 for any value; and of keys, 0 for any text.
    package var element: UInt32 = 0
    package var key: UInt32 = 0
    package var pattern: String?
    package var choices: [Value] = []
    package var fields: [Field] = []
    /// The initial value of a field of the type; nil if there is none.
    package var begins: Value?

    package init(_ kind: Kind) { self.kind = kind }
  }

  let types: OpaquePointer
  let root: UInt32

  /// Creates types numbered from 1; `root` is the number of the state's own type.
  package init(_ specs: [Spec], root: UInt32) throws(ScriptError) {
    guard let types = latch_types_new(specs.count + 1) else { throw TypeTable.noMemory }
    (self.types, self.root) = (types, root)
    for (index, spec) in specs.enumerated() {
      guard TypeTable.set(spec, UInt32(index + 1), in: types) else { throw TypeTable.noMemory }
    }
  }

  deinit { latch_types_free(types) }

  private static var noMemory: ScriptError {
    ScriptError(kind: .limit, message: "not enough memory for the types of the state")
  }

  private static func set(_ spec: Spec, _ number: UInt32, in types: OpaquePointer) -> Bool {
    // All bytes are in one buffer, which stays in place during the call.
    var bytes: [UInt8] = []
    func part(_ value: Value?) -> Range<Int> {
      guard let value else { return 0..<0 }
      var writer = ValueWriter()
      writer.write(value)
      return part(writer.bytes)
    }
    func part(_ more: some Collection<UInt8>) -> Range<Int> {
      bytes += more
      return bytes.count - more.count..<bytes.count
    }
    let (min, max, begins) = (part(spec.min), part(spec.max), part(spec.begins))
    let pattern = part((spec.pattern ?? "").utf8)
    let choices = spec.choices.map { part($0) }
    let names = spec.fields.map { part($0.name.utf8) }
    return bytes.withUnsafeBufferPointer { buffer in
      func at(_ range: Range<Int>) -> latch_bytes {
        latch_bytes(bytes: buffer.baseAddress.map { $0 + range.lowerBound }, length: range.count)
      }
      let fields = zip(spec.fields, names).map { field, name in
        latch_field_spec(
          name: at(name), type: field.type, may_be_nil: field.mayBeNil,
          is_machines: field.isMachines)
      }
      return choices.map(at).withUnsafeBufferPointer { choices in
        fields.withUnsafeBufferPointer { fields in
          var raw = latch_type_spec(
            kind: spec.kind.raw, is_place: spec.isPlace, is_secret: spec.isSecret, min: at(min),
            max: at(max),
            min_length: spec.lengths.lowerBound, max_length: spec.lengths.upperBound,
            element: spec.element, key: spec.key, pattern: at(pattern),
            choices: choices.baseAddress, choice_count: choices.count,
            fields: fields.baseAddress, field_count: fields.count, begins: at(begins))
          return latch_types_set(types, number, &raw)
        }
      }
    }
  }
}

extension TypeTable.Spec.Kind {
  fileprivate var raw: latch_type_kind {
    switch self {
    case .any: LATCH_TYPE_ANY
    case .boolean: LATCH_TYPE_BOOLEAN
    case .integer: LATCH_TYPE_INTEGER
    case .number: LATCH_TYPE_NUMBER
    case .string: LATCH_TYPE_STRING
    case .oneOf: LATCH_TYPE_ONE_OF
    case .list: LATCH_TYPE_LIST
    case .map: LATCH_TYPE_MAP
    case .record: LATCH_TYPE_RECORD
    }
  }
}
