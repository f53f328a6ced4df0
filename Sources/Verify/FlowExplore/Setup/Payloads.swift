import FlowLanguage
import LuaRuntime

/// The payloads with which an action is dispatched.
struct Payloads {
  /// The reason why there are no payloads.
  struct Missing: Error, Hashable {
    /// A gap in the types: the path of a payload field, and the constraint that its type lacks.
    struct Gap: Hashable {
      let field: String
      let lack: String
    }

    var gaps: [Gap]
    /// True if all types are finite, but have too many values.
    var isTooMany = false

    /// The text for messages: `field a has no samples; fields b and c have no max, and no samples`.
    var sentence: String {
      if isTooMany { return "there are more than \(Payloads.most) payloads" }
      var lacks: [String] = []
      for gap in gaps where !lacks.contains(gap.lack) { lacks.append(gap.lack) }
      return lacks.map { lack in
        let fields = gaps.filter { $0.lack == lack }.map(\.field)
        if fields == [""] { return "its payload has no \(lack)" }
        return fields.count == 1
          ? "field \(fields[0]) has no \(lack)"
          : "fields \(fields.dropLast().joined(separator: ", ")) and \(fields[fields.count - 1]) have no \(lack)"
      }.joined(separator: "; ")
    }
  }

  /// The maximum number of payloads of one action.
  static let most = 4096

  private(set) var found: Result<[Value], Missing>
  /// The paths of payload fields that have their default value only.
  private(set) var defaulted: [String] = []

  /// Collects the payloads of a type.
  ///
  /// - Parameters:
  ///   - said: the given values of some fields.
  ///   - error: true if the field `error` contains the message of a failed effect, so that any text will do.
  init(of type: PayloadType, said: [String: [Value]] = [:], error: Bool = false) {
    do throws(Missing) {
      var defaulted: [String] = []
      found = .success(
        try Payloads.values(
          of: type, called: "", said: said, anyText: error ? "error" : nil, &defaulted))
      self.defaulted = defaulted
    } catch {
      found = .failure(error)
    }
  }

  /// Returns the payloads; if payloads are drawn at random, a type with only a default value counts as having none.
  func found(drawing draws: Bool) -> Result<[Value], Missing> {
    draws && !defaulted.isEmpty ? .failure(Missing(gaps: [])) : found
  }

  /// Returns the defaulted fields with the name of the action, such as `set.s`.
  func defaulted(of action: String) -> [String] {
    defaulted.map { $0.isEmpty ? action : "\(action).\($0)" }
  }

  private static func values(
    of type: PayloadType, called name: String, said: [String: [Value]] = [:],
    anyText: String? = nil, _ defaulted: inout [String]
  ) throws(Missing) -> [Value] {
    let samples = type.common?.samples ?? []
    switch type {
    case .boolean: return [true, false]
    case .oneOf(let values, _): return values
    case .integer(let min, let max, let common):
      if let min = min?.integerValue, let max = max?.integerValue {
        let (width, overflow) = max.subtractingReportingOverflow(min)
        if !overflow, (0..<most).contains(width) { return (min...max).map { .integer($0) } }
      }
      let lack =
        switch (min, max) {
        case (nil, nil): "min and max"
        case (_?, nil): "max"
        case (nil, _?): "min"
        default: "closer min and max"
        }
      return try given(samples, common.defaultValue, name, "\(lack), and no samples", &defaulted)
    case .number(_, _, let common), .string(_, _, _, let common), .any(let common):
      return try given(samples, common.defaultValue, name, "samples", &defaulted)
    case .optional(let inner): return [.nil] + (try values(of: inner, called: name, &defaulted))
    case .listOf(let element, let least, let longest, let common):
      if !samples.isEmpty { return samples }
      guard let longest else {
        return try given([], common.defaultValue, name, "max_length, and no samples", &defaulted)
      }
      return try lists(
        of: try values(of: element, called: name, &defaulted), least ?? 0, longest, name)
    case .mapOf(_, _, _, let common):
      return try given(samples, common.defaultValue, name, "samples", &defaulted)
    case .record(let fields):
      var all: [[String: Value]] = [[:]]
      var gaps: [Missing.Gap] = []
      for field in fields {
        let isAnyText = field.name == anyText && (field.type.common?.samples ?? []).isEmpty
        let values: [Value]
        do throws(Missing) {
          values =
            if let said = said[field.name] { said } else if isAnyText { ["it failed"] } else {
              try self.values(
                of: field.type, called: name.isEmpty ? field.name : "\(name).\(field.name)",
                &defaulted)
            }
        } catch {
          if error.isTooMany { throw error }
          gaps += error.gaps
          continue
        }
        if all.count * values.count > most { throw Missing(gaps: [], isTooMany: true) }
        all = all.flatMap { record in
          values.map { value in
            var record = record
            record[field.name] = value == .nil ? nil : value
            return record
          }
        }
      }
      if !gaps.isEmpty { throw Missing(gaps: gaps) }
      return all.map { .record($0) }
    }
  }

  private static func given(
    _ samples: [Value], _ standard: Value?, _ name: String, _ lack: String,
    _ defaulted: inout [String]
  ) throws(Missing) -> [Value] {
    if !samples.isEmpty { return samples }
    if let standard {
      defaulted.append(name)
      return [standard]
    }
    throw Missing(gaps: [.init(field: name, lack: lack)])
  }

  private static func lists(
    of elements: [Value], _ least: Int, _ longest: Int, _ name: String
  ) throws(Missing) -> [Value] {
    var all: [Value] = []
    var level: [[Value]] = [[]]
    for length in 0...max(longest, 0) {
      if length >= least { all += level.map { .list($0) } }
      guard length < longest, !elements.isEmpty else { break }
      if all.count + level.count * elements.count > most {
        throw Missing(gaps: [], isTooMany: true)
      }
      level = level.flatMap { list in elements.map { list + [$0] } }
    }
    return all
  }
}
