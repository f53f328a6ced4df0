import FlowKernel
import FlowLanguage
import LuaRuntime

extension HostCapability {
  /// A call with arguments that do not fit.
  private struct Mismatch: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns the arguments of a call as a record, with defaults filled in.
  ///
  /// - Throws: an error with all faults.
  func record(of values: [Value], _ patterns: HostFilePatterns) throws -> Value {
    let record = try typedRecord(of: values, patterns)
    try http?.expectSendable(ordered(record))
    try command?.expectSendable(ordered(record))
    return record
  }

  /// Returns the fields of a record in the order of the declared arguments, other ones by name after them.
  func ordered(_ record: Value) -> [HostCall.Argument] {
    let fields = record.recordValue ?? [:]
    let declared = arguments.names ?? []
    let others = Set(fields.keys).subtracting(declared).sorted()
    return (declared + others).compactMap { name in
      fields[name].map { HostCall.Argument(name: name, value: $0) }
    }
  }

  private func typedRecord(of values: [Value], _ patterns: HostFilePatterns) throws -> Value {
    switch arguments {
    case .anyRecord: return try anyRecord(of: values)
    case .record(let type):
      guard values.dropFirst().allSatisfy(\.isNil) else {
        throw Mismatch(description: "it takes one record: self:\(name) { ... }")
      }
      return try checked(values.first ?? .nil, type, patterns)
    case .list(let parameters):
      let count = values.lastIndex { !$0.isNil }.map { $0 + 1 } ?? 0
      guard count <= parameters.count else {
        let names = parameters.map(\.name).joined(separator: ", ")
        let takes =
          switch parameters.count {
          case 0: "no arguments"
          case 1: "1 argument (\(names))"
          default: "\(parameters.count) arguments (\(names))"
          }
        throw Mismatch(description: "it takes \(takes), and got \(count)")
      }
      var given: [String: Value] = [:]
      for (parameter, value) in zip(parameters, values) where !value.isNil {
        given[parameter.name] = value
      }
      let fields = parameters.sorted { $0.name < $1.name }
      return try checked(.record(given), .record(fields), patterns)
    }
  }

  private func anyRecord(of values: [Value]) throws -> Value {
    let record = values.first ?? .nil
    guard values.dropFirst().allSatisfy(\.isNil), record.isNil || record.recordValue != nil else {
      throw Mismatch(
        description:
          "it takes one record, self:\(name) { ... }; its args in the host file may name "
          + "arguments in order")
    }
    return record.isNil ? .record([:]) : record
  }

  private func checked(
    _ value: Value, _ type: PayloadType, _ patterns: HostFilePatterns
  ) throws -> Value {
    var check = PayloadCheck { patterns.matches($0, $1) }
    let record = check.check(value, against: type)
    guard check.faults.isEmpty else {
      throw Mismatch(description: check.faults.joined(separator: "; "))
    }
    return record
  }

  /// Returns arguments with dots in place of secrets.
  func hiding(_ arguments: Value) -> Value {
    switch self.arguments {
    case .anyRecord: arguments
    case .record(let type): type.hiding(arguments)
    case .list(let parameters): PayloadType.record(parameters).hiding(arguments)
    }
  }

  /// Returns a result with dots in place of secrets.
  func hiding(result value: Value) -> Value { result?.hiding(value) ?? value }

  /// Returns the faults of a result.
  func faults(ofResult value: Value, _ patterns: HostFilePatterns) -> [String] {
    guard let result else { return [] }
    var check = PayloadCheck { patterns.matches($0, $1) }
    return check.faults(of: value, result, at: "result")
  }

  /// Checks a result, and fills defaults in.
  func checked(result value: Value, _ patterns: HostFilePatterns) -> TaskResult {
    TaskResult(
      value, faults: { faults(ofResult: $0, patterns) }, filled: { filled(result: $0, patterns) })
  }

  /// Returns a result without faults, with defaults filled in and whole numbers converted to integers.
  func filled(result value: Value, _ patterns: HostFilePatterns) -> Value {
    guard let result else { return value }
    var check = PayloadCheck { patterns.matches($0, $1) }
    return check.filled(value, result)
  }
}
