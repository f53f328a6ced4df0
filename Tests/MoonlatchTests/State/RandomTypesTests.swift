import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// Random types and values: a payload and the state accept the same values, with the same
/// conversion and errors.
@Suite struct RandomTypesTests {
  /// Makes types as text, and values that mostly fit.
  private struct Maker {
    var random: SeededRandom

    mutating func one(_ most: Int) -> Int { random.integer(0, most - 1) }

    mutating func type(_ depth: Int = 0) -> String {
      switch one(depth > 2 ? 5 : 8) {
      case 0: return "boolean"
      case 1: return ["integer", "integer { min = 2 }", "integer { min = -1, max = 3.5 }"][one(3)]
      case 2: return ["number", "number { max = 2 }"][one(2)]
      case 3:
        return [
          "string", "string { max_length = 2 }", "string { min_length = 1 }",
          "string { pattern = \"^a+$\" }",
        ][one(4)]
      case 4: return ["one_of { \"a\", \"b\" }", "one_of { 1, 2.5, true, \"a\" }"][one(2)]
      case 5:
        return "list_of { \(type(depth + 1)), max_length = \(1 + one(3)), min_length = \(one(2)) }"
      case 6:
        let key = ["", ", key = integer", ", key = string { max_length = 1 }"][one(3)]
        return "map_of { \(type(depth + 1))\(key), max_length = \(1 + one(3)) }"
      default:
        let fields = ["a", "bb", "c"].prefix(1 + one(3)).map { name in
          let inner = type(depth + 1)
          return "\(name) = " + (one(3) == 0 ? "optional(\(inner))" : inner)
        }
        return "{ \(fields.joined(separator: ", ")) }"
      }
    }

    mutating func value(_ depth: Int = 0) -> Value {
      switch one(depth > 2 ? 6 : 10) {
      case 0: return .boolean(one(2) == 0)
      case 1: return .integer(one(6) - 2)
      case 2:
        return [.number(2), .number(2.5), .number(-0.0), .number(.infinity), .number(1)][one(5)]
      case 3, 4:
        return [.string("a"), .string("b"), .string("aaa"), .string(""), .string("é")][one(5)]
      case 5: return .integer(1)
      case 6, 7: return .list((0..<one(4)).map { _ in value(depth + 1) })
      case 8:
        return .map(Dictionary((0..<one(3)).map { _ in (one(5) - 1, value(depth + 1)) }) { $1 })
      default:
        let names = ["a", "bb", "c", "d"].filter { _ in one(2) == 0 }
        return .record(Dictionary(names.map { ($0, value(depth + 1)) }) { $1 })
      }
    }

    /// A value that has the form of a type that was read.
    mutating func value(of type: PayloadType) -> Value {
      if one(12) == 0 { return value(1) }
      switch type {
      case .optional(let inner): return one(3) == 0 ? .nil : value(of: inner)
      case .boolean: return .boolean(one(2) == 0)
      case .integer, .number: return one(3) == 0 ? .number(Double(one(5))) : .integer(one(6) - 1)
      case .string: return .string(["a", "aa", "aaa", "", "é"][one(5)])
      case .oneOf(let values, _): return values.isEmpty ? .nil : values[one(values.count)]
      case .any: return value()
      case .listOf(let element, _, _, _): return .list((0..<one(4)).map { _ in value(of: element) })
      case .mapOf(let element, let key, _, _):
        if case .integer? = key {
          return .map(Dictionary((0..<one(3)).map { _ in (one(5) - 1, value(of: element)) }) { $1 })
        }
        return .record(
          Dictionary(["x", "yy", "z"].prefix(one(4)).map { ($0, value(of: element)) }) { $1 })
      case .record(let fields):
        return .record(
          Dictionary(
            fields.compactMap { field in
              let made = value(of: field.type)
              return made.isNil || one(10) == 0 ? nil : (field.name, made)
            }
          ) { $1 })
      }
    }
  }

  @Test("a payload check and a write to the state accept the same values", arguments: 0..<40)
  func agree(seed: Int) throws {
    var maker = Maker(random: SeededRandom(seed: UInt64(seed)))
    let text = maker.type()
    let flow = """
      local t = \(text)
      state { place = optional(t) }
      action.put { value = t }
      action.write { value = any }
      function reduce.write(s, a) s.place = a.value end
      """
    let trial = try Trial(flow)
    let loaded = try LoadedFlow(source: flow)
    let type = try #require(
      loaded.flow.action(named: "put")?.payload.type(ofField: "value"))
    for _ in 0..<40 {
      let value = maker.value(of: type)
      if value.isNil { continue }
      let checked = try trial.host.dispatch("put", ["value": value])
      let written = try trial.host.dispatch("write", ["value": value])
      guard let commit = checked.commit else {
        let faults = "\(checked)"
        let said = "\(written)"
        // In the state alone, a missing place begins as its type says; a list or a map begins empty.
        if faults.contains("but is missing") || faults.contains("got {}") { continue }
        #expect(written.commit == nil, "\(text): \(value): \(faults)")
        if let sentence = sentence(in: said) {
          #expect(faults.contains(sentence), "\(text): \(value): \(said): \(faults)")
        }
        continue
      }
      #expect(written.commit != nil, "\(text): \(value): \(written)")
      let stands = try trial.state("place")
      let given = commit.payload["value"] ?? .nil
      #expect(same(stands, given), "\(text): \(value): \(stands) and \(given)")
    }
  }

  /// Returns the fault with the place named as in a payload's message; nil if the two messages differ by design.
  private func sentence(in said: String) -> String? {
    let line = said.prefix { $0 != "\n" }
    guard let place = line.range(of: "state.place"), !line.contains(" has no field ") else {
      return nil
    }
    return "value" + line[place.upperBound...].replacing(" (put here)", with: "")
  }

  /// Equal, where an empty table is a list or a map.
  private func same(_ one: Value, _ other: Value) -> Bool {
    switch (one, other) {
    case (.list(let a), .list(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
    case (.record(let a), .record(let b)):
      return a.count == b.count && a.allSatisfy { same($1, b[$0] ?? .nil) }
    case (.map(let a), .map(let b)):
      return a.count == b.count && a.allSatisfy { same($1, b[$0] ?? .nil) }
    case (.list([]), .record(let fields)), (.record(let fields), .list([])): return fields.isEmpty
    case (.list(let a), .map(let b)), (.map(let b), .list(let a)):
      return a.count == b.count && a.indices.allSatisfy { same(a[$0], b[$0 + 1] ?? .nil) }
    case (.map(let a), .record(let b)), (.record(let b), .map(let a)): return a.isEmpty && b.isEmpty
    case (.number(0), .number(0)): return true  // the state knows no -0.0
    default: return one == other && "\(one)" == "\(other)"
    }
  }
}
