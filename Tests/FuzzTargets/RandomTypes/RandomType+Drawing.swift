import LuaRuntime

extension RandomType {
  /// Creates a random type of at most this depth.
  init(_ draw: inout Draw, depth: Int) {
    switch draw.below(depth > 1 ? 12 : 6) {
    case 0: self = .boolean
    case 1: self = .number(min: draw.pick(nil, nil, -1.5), max: draw.pick(nil, nil, 2.5))
    case 2: self = RandomType.text(&draw)
    case 3: self = RandomType.choice(&draw)
    case 4 where draw.percent(30): self = .any
    case 4, 5: self = RandomType.whole(&draw)
    case 6, 7:
      let element = RandomType(&draw, depth: depth - 1)
      self = .list(element, min: draw.pick(nil, nil, nil, 1), max: draw.pick(nil, nil, 2, 3))
    case 8, 9, 10:
      let element = RandomType(&draw, depth: depth - 1)
      self = .map(element, key: RandomType.key(&draw), max: draw.pick(nil, nil, 2))
    default:
      let names = draw.some(3, of: ["a", "b", "one two", "end", "ü", "f2"])
      self = .record(names.sorted().map { RandomType.field($0, &draw, depth: depth - 1) })
    }
  }

  private static func whole(_ draw: inout Draw) -> RandomType {
    .integer(min: draw.pick(nil, 0, -3), max: draw.pick(nil, 9, 1_000))
  }

  private static func text(_ draw: inout Draw) -> RandomType {
    if draw.percent(25) {
      return .string(pattern: patterns[draw.below(patterns.count)].pattern, min: nil, max: nil)
    }
    return .string(pattern: nil, min: draw.pick(nil, nil, 1), max: draw.pick(nil, 3, 5))
  }

  private static func choice(_ draw: inout Draw) -> RandomType {
    .oneOf(
      draw.pick(
        ["a", "b", "ccc"], [1, 2, 3], [0.5, 2.0], [true, false], ["x", 7, true], [5, 10, -20],
        ["é", "e\u{301}"]))
  }

  private static func key(_ draw: inout Draw) -> RandomType? {
    switch draw.below(6) {
    case 0: nil
    case 1: text(&draw)
    case 2: whole(&draw)
    case 3: .integer(min: nil, max: nil)
    case 4: .oneOf(draw.pick([5, 10], [-1, 0, 1], [1, 2]))
    default: .oneOf(["a", "b c", "1"])
    }
  }

  private static func field(_ name: String, _ draw: inout Draw, depth: Int) -> Field {
    let type = RandomType(&draw, depth: depth)
    var value: Value?
    let kind = draw.below(3)
    // A record has no default, and a given value of a map is not merged with one.
    if kind == 1, !type.isRecord {
      value = type.normalized(type.value(&draw, fits: true), completes: false)
    }
    return Field(name: name, type: type, isOptional: kind == 0, defaultValue: value)
  }

  private var isRecord: Bool { if case .record = self { true } else { false } }

  // MARK: Values

  /// Returns a value of this type, or one with an error somewhere if `fits` is false.
  func value(_ draw: inout Draw, fits: Bool) -> Value {
    if !fits, draw.percent(35) { return RandomType.stray(&draw) }
    switch self {
    case .any: return draw.pick(1, "x", true, 2.5, [1, "a"], ["a": [1]], .map([7: 1]))
    case .boolean: return .boolean(draw.percent(50))
    case .integer(let min, let max):
      let number = draw.from(Swift.max(min ?? -5, -5), to: Swift.min(max ?? 20, 20))
      if !fits { return draw.pick(.integer(number + 2_000), .number(0.5), .integer(-9)) }
      return draw.percent(20) ? .number(Double(number)) : .integer(number)
    case .number(let min, let max):
      let number = Double(draw.from(-3, to: 5)) / 2
      let bounded = Swift.max(min ?? -9, Swift.min(max ?? 9, number))
      if !fits { return draw.pick(.number(99), .number(.infinity), .number(-7.5)) }
      return bounded == bounded.rounded() && draw.percent(30)
        ? .integer(Int(bounded)) : .number(bounded)
    case .string(let pattern, let min, let max):
      if !fits { return draw.pick("", "äöüäöü", " ") }
      if let texts = RandomType.patterns.first(where: { $0.pattern == pattern })?.texts {
        return .string(draw.one(of: texts) ?? "")
      }
      let length = draw.from(min ?? 0, to: max ?? 6)
      return .string(String((0..<length).map { _ in draw.pick("a", "ü", "\"", "5", "☃", ".") }))
    case .oneOf(let values):
      let value = draw.one(of: values) ?? .nil
      if fits, case .integer(let whole) = value, draw.percent(20) { return .number(Double(whole)) }
      return fits ? value : draw.pick("d", 4, 0.25, false)
    case .list(let element, let min, let max):
      let length = draw.from(min ?? 0, to: max ?? 3) + (fits ? 0 : draw.below(3))
      return .list((0..<length).map { _ in element.value(&draw, fits: fits || draw.percent(70)) })
    case .map(let element, let key, let max):
      return map(element, key, draw.from(0, to: max ?? 3) + (fits ? 0 : draw.below(2)), &draw, fits)
    case .record(let fields):
      var record: [String: Value] = [:]
      for field in fields {
        let mayBeMissing = field.isOptional || field.defaultValue != nil
        if mayBeMissing ? draw.percent(50) : !fits && draw.percent(10) { continue }
        record[field.name] = field.type.value(&draw, fits: fits || draw.percent(70))
      }
      if !fits, draw.percent(10) { record["zz"] = 1 }
      return .record(record)
    }
  }

  private func map(
    _ element: RandomType, _ key: RandomType?, _ count: Int, _ draw: inout Draw, _ fits: Bool
  ) -> Value {
    var (named, numbered): ([String: Value], [Int: Value]) = ([:], [:])
    for _ in 0..<count {
      let value = element.value(&draw, fits: fits || draw.percent(70))
      let own: Value
      if let key {
        own = key.value(&draw, fits: fits || draw.percent(80))
      } else {
        own = draw.pick("a", "b", "1", "[1]", "end")
      }
      switch own {
      case .string(let text): named[text] = value
      case .integer(let number): numbered[number] = value
      case .number(let number): if let whole = Int(exactly: number) { numbered[whole] = value }
      default: break
      }
    }
    // Lua has no table with both.
    if RandomType.hasIntegerKeys(key), !numbered.isEmpty { return .map(numbered) }
    return named.isEmpty && !numbered.isEmpty ? .map(numbered) : .record(named)
  }

  /// Returns a value of any type.
  private static func stray(_ draw: inout Draw) -> Value {
    draw.pick(
      0, 5, -1, 2.5, "a", "zzzz", true, .list([]), [1], ["a": 1], .map([3: 1]), .map([3: "a"]),
      .map([1: 1, 3: 1]))
  }
}
