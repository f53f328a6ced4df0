import LuaRuntime

@testable import FlowKernel
@testable import FlowLanguage

/// Random payloads, most of which fit their type.
struct RandomPayloads {
  var chance: SeededRandom
  /// The texts that are tried where any may stand.
  var texts = ["a", "b", "ann", "1", "x1"]

  mutating func payload(of type: PayloadType) -> Value {
    switch type {
    case .boolean: return .boolean(pick(2) == 0)
    case .integer(let min, let max, _):
      let low = min?.integerValue ?? (max?.integerValue).map { $0 - 6 } ?? -1
      let high = Swift.min(max?.integerValue ?? low + 6, low + 6)
      return .integer(low + pick(Swift.max(1, high - low + 1)))
    case .number(let min, let max, _):
      let low = min?.doubleValue ?? 0
      let high = Swift.min(max?.doubleValue ?? low + 6, low + 6)
      return .number(low + (high - low) * Double(pick(5)) / 4)
    case .string(_, let min, let max, let common):
      if let sample = common.samples.randomElement(using: &chance) { return sample }
      let text = texts[pick(texts.count)]
      let padded = text + String(repeating: "y", count: Swift.max(0, (min ?? 0) - text.utf8.count))
      return .string(String(padded.prefix(max ?? .max)))
    case .any: return [.integer(pick(4)), "any", .boolean(true), ["k": 1]][pick(4)]
    case .oneOf(let values, _): return values[pick(values.count)]
    case .listOf(let element, let min, let max, _):
      let most = Swift.min(max ?? 3, 3)
      let count = Swift.max(min ?? 0, pick(most + 1))
      return .list((0..<count).map { _ in payload(of: element) })
    case .mapOf(let element, let key, _, _):
      if case .integer? = key { return .map([pick(4): payload(of: element)]) }
      return .record([texts[pick(texts.count)]: payload(of: element)])
    case .optional(let type): return pick(3) == 0 ? .nil : payload(of: type)
    case .record(let fields):
      var record: [String: Value] = [:]
      for field in fields where !field.type.mayBeMissing || pick(2) == 0 {
        let value = payload(of: field.type)
        if value != .nil { record[field.name] = value }
      }
      return .record(record)
    }
  }

  mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &chance) }
}
