import LuaRuntime
import Scenarios
import XMLStream

/// The events of a log in XES (IEEE 1849) as rows, in which a trace is a case.
///
/// The columns of an event are its attributes by their keys, and those of its trace with the prefix `case:`. A `global`
/// supplies the attributes that an event or a trace lacks. A trace without a `concept:name` is named by its position,
/// counted from 1. Nested attributes are dropped, except in lists and containers.
final class XESEvents {
  /// The maximum size of an event's or a trace's attributes in bytes, that of a row.
  static let most = 1 << 20
  private static let caseName = "case:concept:name"

  private let reader: XESReader
  private var hasBegun = false
  private var eventDefaults = XESReader.Record()
  private var traceDefaults = XESReader.Record()
  /// The attributes of the current trace; nil between traces.
  private var trace: XESReader.Record?
  /// The attributes of the trace as columns; nil until an event needs them.
  private var traceColumns: [String: Value]?
  private var traces = 0

  /// Creates a reader of events.
  ///
  /// - Parameter encoding: the encoding, which overrides the document's declaration; nil to use the declaration.
  init(_ read: @escaping LogSource, encoding: String? = nil) {
    reader = XESReader(read, encoding: encoding)
  }

  /// Returns the next event; nil after the last.
  ///
  /// - Throws: `LogError` if the data is not XES, or is XML that cannot be read any further.
  func next() throws -> LogEvent? {
    if !hasBegun { try readRoot() }
    while let event = try reader.next() {
      switch event {
      case .start(let element):
        if let found = try read(element) { return found }
      case .end(let name):
        if XESReader.local(name) == "trace" { trace = nil }
      case .text: continue
      }
    }
    return nil
  }

  private func readRoot() throws {
    hasBegun = true
    guard case .start(let root)? = try reader.next() else { return }
    guard XESReader.local(root.name) == "log" else {
      throw LogError(
        description: "the log is XML, but begins with <\(root.name)>; XES begins with <log>")
    }
  }

  /// Reads an element of the log or of a trace; returns its event if it is one.
  private func read(_ element: XMLReader.Element) throws -> LogEvent? {
    switch XESReader.local(element.name) {
    case "event": return try event(element)
    case "trace" where trace == nil:
      traces += 1
      (trace, traceColumns) = (traceDefaults, nil)
    case "global" where trace == nil && element["scope"] == "trace":
      try reader.add(to: &traceDefaults)
    case "global" where trace == nil && element["scope"] ?? "event" == "event":
      try reader.add(to: &eventDefaults)
    default:
      var record = trace ?? XESReader.Record()
      try reader.add(element, to: &record)
      if trace != nil { (trace, traceColumns) = (record, nil) }
    }
    return nil
  }

  private func event(_ element: XMLReader.Element) throws -> LogEvent {
    var record = XESReader.Record()
    try reader.add(to: &record)
    let faults = [(record, ""), (trace, "its trace: "), (eventDefaults, "the global: ")]
    for (record, name) in faults {
      if let fault = record?.fault { return LogEvent(line: element.line, .malformed(name + fault)) }
    }
    var fields = record.fields
    fields.merge(eventDefaults.fields) { own, _ in own }
    if let columns = columns { fields.merge(columns) { own, _ in own } }
    return LogEvent(line: element.line, .fields(fields))
  }

  /// The columns that each event inherits from its trace.
  private var columns: [String: Value]? {
    guard let trace else { return nil }
    if let traceColumns { return traceColumns }
    var columns: [String: Value] = [XESEvents.caseName: .string(String(traces))]
    for (key, value) in trace.fields { columns["case:" + key] = value }
    traceColumns = columns
    return columns
  }
}
