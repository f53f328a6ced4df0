#if Server
  import FlowHosting
  import FlowKernel
  import LuaRuntime
  import Testing

  @testable import FlowServer
  @testable import FuzzTargets

  /// The schemas of random types beside the flows that have them.
  @Suite struct SchemaCrossingTests {
    @Test(
      "JSON fits the schema of a random type exactly if the flow accepts it",
      arguments: 1...60 as ClosedRange<UInt64>)
    func crossing(seed: UInt64) throws {
      var draw = Draw(seed: seed)
      let type = RandomType(&draw, depth: 3)
      let text =
        "state { x = 0 } action.put { v = \(type.source) } function reduce.put(s) s.x = 1 end"
      let flow = try LoadedFlow(source: text)
      let host = try FlowHost(flow, options: HostOptions(print: { _ in }, report: { _ in }))
      let schema = Schema.of(try #require(flow.flow.action(named: "put")).payload)
      for index in 0..<12 {
        let value: Value = ["v": type.value(&draw, fits: index < 6)]
        let json = JSONText.text(value)
        let payload = flow.flow.reading(json: try JSONText.value(of: json), of: "put")
        let taken = try host.dispatch("put", payload).isPassed
        // A pattern that ECMAScript cannot say is described in words alone.
        if JSONText.text(schema).contains("matches the Lua pattern"), !taken { continue }
        let fits = try SchemaCheck.fits(SchemaCheck.json(value), schema)
        #expect(fits == taken, "\(json) \(JSONText.text(schema)) of \(type.source)")
      }
    }
  }

  /// The part of JSON Schema (2020-12) that the schemas of types are written in.
  private enum SchemaCheck {
    /// The value as another reader of JSON finds it, to whom names in brackets say nothing.
    static func json(_ value: Value) -> Value {
      switch value {
      case .number(let number) where number.isInfinite: return ["[math.huge]": .nil]
      case .list(let elements): return .list(elements.map(json))
      case .map(let entries):
        return .record(Dictionary(uniqueKeysWithValues: entries.map { ("[\($0)]", json($1)) }))
      case .record(let fields):
        let isBracketed = !fields.isEmpty && fields.keys.allSatisfy { $0 == "[1]" }
        return .record(
          Dictionary(
            uniqueKeysWithValues: fields.map { (isBracketed ? "[\($0)]" : $0, json($1)) }))
      default: return value
      }
    }

    static func fits(_ json: Value, _ schema: Value) throws -> Bool {
      if let choices = schema["anyOf"]?.listValue {
        guard try choices.contains(where: { try fits(json, $0) }) else { return false }
      }
      // Any plain value: all but nothing.
      if schema["$ref"] != nil { return !json.isNil }
      if let types = schema["type"] {
        let names = types.listValue ?? [types]
        guard names.contains(where: { hasType(json, $0.stringValue ?? "") }) else { return false }
      }
      if let values = schema["enum"]?.listValue {
        guard values.contains(where: { $0 == json || isNumber($0, json) }) else { return false }
      }
      if let value = schema["const"], value != json, !isNumber(value, json) { return false }
      switch json {
      case .string(let text): return try fits(text: text, schema)
      case .list(let elements): return try fits(elements: elements, schema)
      case .record(let fields): return try fits(fields: fields, schema)
      case .integer, .number:
        let number = json.doubleValue ?? 0
        return number >= schema["minimum"]?.doubleValue ?? -.infinity
          && number <= schema["maximum"]?.doubleValue ?? .infinity
      default: return true
      }
    }

    private static func fits(text: String, _ schema: Value) throws -> Bool {
      let length = text.unicodeScalars.count
      guard length >= schema["minLength"]?.integerValue ?? 0,
        length <= schema["maxLength"]?.integerValue ?? .max
      else { return false }
      guard let pattern = schema["pattern"]?.stringValue else { return true }
      return try text.firstMatch(of: Regex(pattern)) != nil
    }

    private static func fits(elements: [Value], _ schema: Value) throws -> Bool {
      guard elements.count >= schema["minItems"]?.integerValue ?? 0,
        elements.count <= schema["maxItems"]?.integerValue ?? .max
      else { return false }
      guard let items = schema["items"] else { return true }
      return try elements.allSatisfy { try fits($0, items) }
    }

    private static func fits(fields: [String: Value], _ schema: Value) throws -> Bool {
      if fields.count > schema["maxProperties"]?.integerValue ?? .max { return false }
      for name in schema["required"]?.listValue ?? [] where fields[name.stringValue ?? ""] == nil {
        return false
      }
      for (name, value) in fields {
        if let names = schema["propertyNames"], try !fits(.string(name), names) { return false }
        if let own = schema["properties"]?[name] ?? schema["additionalProperties"] {
          if try !fits(value, own) { return false }
        }
      }
      return true
    }

    private static func hasType(_ json: Value, _ name: String) -> Bool {
      switch (name, json) {
      case ("null", .nil), ("string", .string), ("array", .list), ("object", .record),
        ("boolean", .boolean), ("number", .integer), ("number", .number), ("integer", .integer):
        true
      case ("integer", .number(let number)): number == number.rounded()
      default: false
      }
    }

    private static func isNumber(_ a: Value, _ b: Value) -> Bool {
      guard let a = a.doubleValue, let b = b.doubleValue else { return false }
      return a == b
    }
  }
#endif
