import FlowKernel
import FlowLanguage
import LuaRuntime

/// A generator of random payloads, for types with infinitely many of them.
///
/// Small values and the ends of ranges are more likely than others, because flows fail there.
struct RandomPayload {
  var random: SeededRandom

  /// The usual maximum length of lists, maps and texts, unless the type requires more.
  private static let longest = 4
  private static let furthest = 1_000
  private static let mostSteps = 12
  /// The maximum depth of nested tables.
  private static let deepest = 4

  /// Returns a random value of a type.
  ///
  /// It may violate the pattern of a text; the flow then rejects the payload.
  mutating func value(of type: PayloadType, depth: Int = 0) -> Value {
    if let samples = type.common?.samples, let sample = samples.randomElement(using: &random) {
      return sample
    }
    switch type {
    case .boolean: return .boolean(Bool.random(using: &random))
    case .oneOf(let values, _): return values.randomElement(using: &random) ?? .nil
    case .integer(let min, let max, _):
      return .integer(integer(from: min?.integerValue, to: max?.integerValue))
    case .number(let min, let max, _): return .number(number(min?.doubleValue, max?.doubleValue))
    case .string(_, let least, let longest, _): return .string(text(least, longest))
    case .any: return any(depth)
    case .optional(let inner):
      return Bool.random(using: &random) ? .nil : value(of: inner, depth: depth)
    case .listOf(let element, let least, let longest, _):
      return .list(
        (0..<length(least, longest, depth)).map { _ in value(of: element, depth: depth + 1) })
    case .mapOf(let element, let key, let longest, _): return map(element, key, longest, depth)
    case .record(let fields):
      var record: [String: Value] = [:]
      for field in fields {
        let value = value(of: field.type, depth: depth + 1)
        if value != .nil { record[field.name] = value }
      }
      return .record(record)
    }
  }

  private mutating func integer(from least: Int?, to most: Int?) -> Int {
    let (least, most) = (least ?? .min, most ?? .max)
    guard least <= most else { return least }
    let near = Swift.max(least, Swift.min(most, 0))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return least
    case 1: return most
    case 2: return near
    case 3: return Int.random(in: least...most, using: &random)
    default:
      let step = Int.random(in: -10...10, using: &random)
      let (sum, overflow) = near.addingReportingOverflow(step)
      return overflow ? near : Swift.max(least, Swift.min(most, sum))
    }
  }

  private mutating func number(_ least: Double?, _ most: Double?) -> Double {
    let low = least ?? -1e9, high = most ?? 1e9
    guard low <= high, low.isFinite, high.isFinite else { return least ?? most ?? 0 }
    let near = Swift.max(low, Swift.min(high, 0))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return low
    case 1: return high
    case 2: return near
    case 3: return Swift.max(low, Swift.min(high, near + Double.random(in: -1...1, using: &random)))
    default:
      let step = Double(Int.random(in: -10...10, using: &random))
      return Swift.max(low, Swift.min(high, near + step))
    }
  }

  private mutating func text(_ least: Int?, _ longest: Int?) -> String {
    let letters = "abcxyzABC019 _-äß☃".map { $0 }
    return String(
      (0..<length(least, longest, 0)).map { _ in letters.randomElement(using: &random) ?? "a" })
  }

  private mutating func length(_ least: Int?, _ longest: Int?, _ depth: Int) -> Int {
    let least = Swift.max(0, least ?? 0)
    guard depth < RandomPayload.deepest else { return least }
    // Sometimes use the maximum length.
    if let longest, longest <= RandomPayload.furthest, Int.random(in: 0..<8, using: &random) == 0 {
      return Swift.max(least, longest)
    }
    let most = Swift.max(least, Swift.min(longest ?? .max, RandomPayload.longest))
    return Int.random(in: least...most, using: &random)
  }

  private mutating func any(_ depth: Int) -> Value {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .boolean(Bool.random(using: &random))
    case 1: .integer(integer(from: nil, to: nil))
    case 2: .number(number(nil, nil))
    case 3: .string(text(nil, nil))
    default: .list((0..<length(nil, nil, depth)).map { _ in any(depth + 1) })
    }
  }

  private mutating func map(
    _ element: PayloadType, _ key: PayloadType?, _ longest: Int?, _ depth: Int
  ) -> Value {
    var entries: [Int: Value] = [:]
    var fields: [String: Value] = [:]
    for _ in 0..<length(nil, longest, depth) {
      let value = value(of: element, depth: depth + 1)
      switch key.map({ self.value(of: $0, depth: depth + 1) }) {
      case .integer(let number)?: entries[number] = value
      case .string(let text)?: fields[text] = value
      default: fields[text(1, nil)] = value
      }
    }
    return entries.isEmpty ? .record(fields) : .map(entries)
  }

  // MARK: Simpler ones

  /// Returns values that are simpler than a payload's, the simplest first, to simplify findings.
  static func simpler(than value: Value) -> [Value] {
    switch value {
    case .integer(let number): return simpler(than: number).map { .integer($0) }
    case .number(let number):
      return [0, 1, number.rounded(.towardZero)].filter { $0 != number && abs($0) <= abs(number) }
        .map { .number($0) }
    case .string(let text):
      if text.isEmpty { return [] }
      let lengths = [0, 1, text.count / 2, text.count - 1].filter { $0 < text.count }
      var texts = lengths.map { Value.string(String(text.prefix($0))) }
      texts += lengths.filter { $0 > 0 }.map { .string(String(text.suffix($0))) }
      let plain = String(repeating: "a", count: text.count)
      if text != plain { texts.append(.string(plain)) }
      return texts
    case .boolean(true): return [false]
    case .list(let elements):
      return [.list([])]
        + elements.indices.map { index in
          var fewer = elements
          fewer.remove(at: index)
          return .list(fewer)
        }
        + elements.indices.flatMap { index in
          simpler(than: elements[index]).map { simple in
            var changed = elements
            changed[index] = simple
            return .list(changed)
          }
        }
    case .record(let fields):
      return fields.keys.sorted().flatMap { name -> [Value] in
        let simple = fields[name].map { simpler(than: $0) } ?? []
        return ([nil] + simple.map(Optional.some)).map { value in
          var changed = fields
          changed[name] = value
          return .record(changed)
        }
      }
    case .map(let entries):
      return entries.keys.sorted().map { key in
        var fewer = entries
        fewer[key] = nil
        return .map(fewer)
      }
    default: return []
    }
  }

  /// Returns numbers at halved distances between 0 and the number, so that a few rounds find the least that suffices.
  private static func simpler(than number: Int) -> [Int] {
    if number == 0 { return [] }
    var found = [0]
    var rest = number / 2
    while rest != 0, found.count < mostSteps {
      found.append(number - rest)
      rest /= 2
    }
    return found
  }
}
