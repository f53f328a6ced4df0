import FlowLanguage
import LuaRuntime

/// What may stand at a place of the state or of a payload, or what an expression gives, as far as a flow says.
///
/// Whoever asks knows nothing of where it was declared.
indirect enum Shape: Sendable {
  /// Anything.
  case unknown
  /// A boolean, a number, a text or a choice that a declaration describes.
  case scalar(PayloadType)
  /// What no declaration speaks of: a literal, the result of an operator.
  case value(Kind)
  /// None, or this.
  case optional(Shape)
  case record(Record)
  /// A list of such elements, and the type that declares it.
  case list(Shape, PayloadType?)
  case map(Shape, PayloadType?)

  enum Kind: String, Sendable {
    case boolean, integer, number, string, table, function
    /// A number that is hardly whole: what a division gives.
    case fraction
    case none

    var isNumber: Bool { self == .integer || self == .number || self == .fraction }

    /// How a message speaks of it.
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
    /// What a message calls it: `state.user`, `the payload of add`.
    let title: String
    var fields: [String: Shape]
    /// The type that declares it, if one does.
    var type: PayloadType?
    /// The fields that a machine moves, with its name.
    var machines: [String: String] = [:]
    /// The fields that begin as plain texts.
    var texts: Set<String> = []
    /// Whether it may have other fields too.
    var isOpen = false
  }

  /// What a field or a key of it leads to.
  var element: Shape {
    switch self {
    case .list(let element, _), .map(let element, _): element
    case .optional(let inner): inner.element
    default: .unknown
    }
  }

  /// What it is where it is not none.
  var present: Shape {
    if case .optional(let inner) = self { return inner.present }
    return self
  }

  var record: Record? {
    if case .record(let record) = present { return record }
    return nil
  }

  /// The type that was declared for it.
  var type: PayloadType? {
    switch self {
    case .scalar(let type): type
    case .record(let record): record.type
    case .list(_, let type), .map(_, let type): type
    case .optional(let inner): inner.type
    case .unknown, .value: nil
    }
  }

  /// What it is, where it is something.
  var kind: Kind? {
    switch self {
    case .scalar(let type): type.literalKind
    case .value(let kind): kind
    case .record, .list, .map: .table
    case .optional(let inner): inner.kind
    case .unknown: nil
    }
  }

  /// The values that it is one of.
  var choices: [Value]? {
    if case .scalar(.oneOf(let values, _)) = present { return values }
    return nil
  }

  /// A text or a number that is one of these.
  static func choice(_ values: [String]) -> Shape {
    .scalar(
      .oneOf(values.map(Value.string), PayloadType.Common(defaultValue: nil, samples: [])))
  }

  /// What several have in common.
  static func common(_ shapes: [Shape]) -> Shape {
    guard let first = shapes.first else { return .unknown }
    if shapes.count == 1 { return first }
    if let record = first.record {
      return shapes.allSatisfy { $0.record?.title == record.title } ? first : .unknown
    }
    guard let kind = first.kind, kind != .table, shapes.allSatisfy({ $0.kind == kind }) else {
      return .unknown
    }
    return .value(kind)
  }
}
