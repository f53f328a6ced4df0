import LuaRuntime
import Scenarios
import XMLStream

/// A reader of XES attributes from XML.
struct XESReader {
  /// The attributes of an element by their keys.
  struct Record {
    var fields: [String: Value] = [:]
    /// The reason why the attributes cannot be read; nil if they can.
    var fault: String?
    fileprivate var bytes = 0
    fileprivate var order: [Value] = []
  }

  private let reader: XMLReader

  init(_ read: @escaping LogSource, encoding: String?) {
    reader = XMLReader(encoding: encoding, keepsText: false, read)
  }

  /// Returns the next start or end of an element; nil at the end.
  func next() throws -> XMLReader.Event? {
    do {
      return try reader.next()
    } catch let error as XMLError {
      throw LogError(description: "the log cannot be read as XES: \(error)")
    }
  }

  /// Returns the error for a faulty element.
  func error(_ reason: String, at element: XMLReader.Element) -> LogError {
    LogError(description: "line \(element.line), column \(element.column): \(reason)")
  }

  /// Returns a name without its namespace prefix.
  static func local(_ name: String) -> Substring {
    name.lastIndex(of: ":").map { name[name.index(after: $0)...] } ?? name[...]
  }

  /// Reads the attributes of the element that was started last, up to its end.
  func add(to record: inout Record) throws {
    while let event = try next() {
      switch event {
      case .start(let element): try add(element, to: &record)
      case .end: return
      case .text: continue
      }
    }
  }

  /// Reads an attribute up to its end; ignores an element that is not an attribute.
  func add(_ element: XMLReader.Element, to record: inout Record) throws {
    let type = XESReader.local(element.name)
    var held = Record()
    try add(to: &held)
    record.bytes += held.bytes + element.attributes.reduce(32) { $0 + $1.value.utf8.count }
    record.fault = record.fault ?? held.fault
    guard record.bytes <= XESEvents.most else {
      record.fault = "it is longer than \(XESEvents.most) bytes"
      (record.fields, record.order) = ([:], [])
      return
    }
    guard let value = XESReader.value(type, element["value"], held) else {
      if type == "values" { record.order += held.order }
      return
    }
    guard let key = element["key"] else {
      record.fault = record.fault ?? "the <\(element.name)> in line \(element.line) has no key"
      return
    }
    record.fields[key] = value
    record.order.append(value)
  }

  /// Returns the value of an attribute; nil if the element is not an attribute.
  ///
  /// Text that does not match the type remains text, and the dispatch then reports it.
  private static func value(_ type: Substring, _ text: String?, _ held: Record) -> Value? {
    switch type {
    case "string", "date", "id": .string(text ?? "")
    case "int": text.flatMap { Int($0) }.map { .integer($0) } ?? .string(text ?? "")
    case "float": float(text ?? "")
    case "boolean": boolean(text ?? "")
    case "list": .list(held.order)
    case "container": .record(held.fields)
    default: nil
    }
  }

  private static func float(_ text: String) -> Value {
    guard let number = Double(text), number.isFinite else { return .string(text) }
    return .number(number)
  }

  private static func boolean(_ text: String) -> Value {
    switch text {
    case "true", "1": .boolean(true)
    case "false", "0": .boolean(false)
    default: .string(text)
    }
  }
}
