import FlowLanguage
import LuaRuntime

/// The values that a place of the state, a payload or an expression may have, as far as the flow declares them.
///
/// It does not depend on the place of the declaration.
indirect enum Shape: Sendable {
  /// Anything.
  case unknown
  /// A boolean, number, text or choice of a declared type.
  case scalar(PayloadType)
  /// A value without a declaration: a literal, or the result of an operator.
  case value(Kind)
  /// None, or the inner shape.
  case optional(Shape)
  case record(Record)
  /// A list of such elements, and its declared type.
  case list(Shape, PayloadType?)
  case map(Shape, PayloadType?)

  enum Kind: String, Sendable {
    case boolean, integer, number, string, table, function
    /// A number that is probably not whole: the result of a division.
    case fraction
    case none

    var isNumber: Bool { self == .integer || self == .number || self == .fraction }

    /// The kind's name in messages.
    var title: String {
      switch self {
      case .integer: "an integer"
      case .fraction: "a number that need not be whole"
      case .none: "none"
      default: "a \(rawValue)"
      }
    }
  }

  struct Record: Sendable {
    /// The record's name in messages: `state.user`, `the payload of add`.
    var title: String
    var fields: [String: Shape]
    /// The declared type, if there is one.
    var type: PayloadType?
    /// The fields that machines set, with the names of the machines.
    var machines: [String: String] = [:]
    /// The fields whose initial values are plain texts.
    var texts: Set<String> = []
    /// True if it may also have other fields.
    var isOpen = false
    /// The names of fields that the file assigns to a table of constants, or to any other.
    var written: Set<String> = []
    /// True if a constructor with literals declares it.
    var isConstant = false
  }

  /// The shape of an element.
  var element: Shape {
    switch self {
    case .list(let element, _), .map(let element, _): element
    case .optional(let inner): inner.element
    default: .unknown
    }
  }

  /// The shape of a key.
  var key: Shape {
    switch self {
    case .list: .value(.integer)
    case .map(_, .mapOf(_, let key, _, _)?): key.map { .scalar($0) } ?? .value(.string)
    case .optional(let inner): inner.key
    default: .unknown
    }
  }

  /// The shape without the possibility of none.
  var present: Shape {
    if case .optional(let inner) = self { return inner.present }
    return self
  }

  var record: Record? {
    if case .record(let record) = present { return record }
    return nil
  }

  /// The declared type.
  var type: PayloadType? {
    switch self {
    case .scalar(let type): type
    case .record(let record): record.type
    case .list(_, let type), .map(_, let type): type
    case .optional(let inner): inner.type
    case .unknown, .value: nil
    }
  }

  /// The kind of its values; nil if it is not known.
  var kind: Kind? {
    switch self {
    case .scalar(let type): type.literalKind
    case .value(let kind): kind
    case .record, .list, .map: .table
    case .optional(let inner): inner.kind
    case .unknown: nil
    }
  }

  /// The values of a choice; nil for any other shape.
  var choices: [Value]? {
    if case .scalar(.oneOf(let values, _)) = present { return values }
    return nil
  }

  /// Returns the shape of a choice among texts.
  static func choice(_ values: [String]) -> Shape {
    .scalar(
      .oneOf(values.map(Value.string), PayloadType.Common(defaultValue: nil, samples: [])))
  }

  /// Returns the shape that several have in common.
  static func common(_ shapes: [Shape]) -> Shape {
    guard let first = shapes.first else { return .unknown }
    if shapes.count == 1 { return first }
    if let record = first.record {
      if shapes.allSatisfy({ $0.record?.title == record.title }) { return first }
      let records = shapes.compactMap(\.record)
      return records.count == shapes.count ? .payload(of: records) : .unknown
    }
    guard let kind = first.kind, kind != .table, shapes.allSatisfy({ $0.kind == kind }) else {
      return .unknown
    }
    return .value(kind)
  }
}
