/// A field of the state.
struct StateField {
  enum Kind {
    case integer(most: Int, isTyped: Bool)
    case number, text, flag
    case choice([String])
    /// An integer from 1 to 4, or nil.
    case optional
    case integers(most: Int)
    /// A list of records `{ n, on }`.
    case rows(most: Int)
    /// Records `{ n, tag }` by text keys.
    case records(most: Int)
    /// A record `{ a, b = { c } }`.
    case nested
    case other
  }

  let name: String
  let kind: Kind
  let declaration: String
}

/// The names that a statement or a condition can use.
struct Reach {
  /// The payload's fields; empty without a payload.
  var payload: [PayloadField] = []
  /// True if clock and random numbers can be used.
  var isFree = true

  func has(_ name: String) -> Bool { payload.contains { $0.name == name } }
}

extension FlowDrawing {
  mutating func drawFields() {
    for _ in 0..<draw.from(2, to: options.isFinite ? 4 : 7) { fields.append(drawField()) }
  }

  private mutating func drawField() -> StateField {
    let isTyped = options.isFinite || draw.percent(60)
    func field(_ name: String, _ kind: StateField.Kind, _ typed: String, _ plain: String)
      -> StateField
    {
      StateField(name: name, kind: kind, declaration: isTyped ? typed : plain)
    }
    let most = options.isFinite ? 2 : draw.from(3, to: 6)
    switch draw.below(options.isFinite ? 6 : 10) {
    case 0, 6:
      return field(
        name("count"), .integer(most: most, isTyped: isTyped),
        "integer { min = 0, max = \(most), default = 0 }", "0")
    case 1: return field(name("flag"), .flag, "boolean { default = false }", "false")
    case 2:
      let values = options.isFinite ? ["x", "y"] : ["x", "y", "z"]
      let list = values.map { "\"\($0)\"" }.joined(separator: ", ")
      return field(name("mode"), .choice(values), "one_of { \(list), default = \"x\" }", "\"x\"")
    case 3:
      return field(
        name("owner"), .optional,
        "optional(integer { min = 1, max = \(options.isFinite ? 2 : 4) })", "none")
    case 4:
      return field(
        name("rows"), .rows(most: most),
        "list_of { { n = integer { min = 0, max = 5 }, on = boolean }, max_length = \(most) }",
        "list {}")
    case 5:
      return field(
        name("items"), .records(most: most),
        "map_of { { n = integer { min = 0, max = 5 }, tag = one_of { \"x\", \"y\" } }, "
          + "key = string { max_length = 4 }, max_length = \(most) }", "map {}")
    case 7: return field(name("sum"), .number, "number { default = 0 }", "0.5")
    case 8:
      return field(name("text"), .text, "string { max_length = 12, default = \"\" }", "\"\"")
    default:
      if draw.percent(50) {
        return field(
          name("list"), .integers(most: most),
          "list_of { integer { min = 0, max = 9 }, max_length = \(most) }", "list {}")
      }
      return field(
        name("deep"), .nested,
        "{ a = integer { default = 1 }, b = { c = string { default = \"c\" } } }",
        "{ a = 1, b = { c = \"c\" } }")
    }
  }

  // MARK: Statements

  mutating func statements(_ count: Int, _ reach: Reach) -> [String] {
    let usable = fields.filter { if case .other = $0.kind { false } else { true } }
    return (0..<count).flatMap { _ -> [String] in
      guard let field = draw.one(of: usable) else { return [] }
      let lines = statement(field, reach)
      if !draw.percent(20) { return lines }
      return ["if \(condition(reach).text) then"] + FlowDrawing.indented(lines) + ["end"]
    }
  }

  private mutating func statement(_ field: StateField, _ reach: Reach) -> [String] {
    let f = "s.\(field.name)"
    let isFree = reach.isFree && !options.isFinite
    switch field.kind {
    case .integer(let most, _): return [integer(f, most, reach, isFree)]
    case .number:
      if reach.has("x"), draw.percent(40) { return ["\(f) = \(f) + a.x"] }
      return [
        isFree
          ? draw.pick("\(f) = \(f) / 2 + random()", "\(f) = now()", "\(f) = \(f) * 0.5 + 1")
          : "\(f) = \(f) * 0.5 + 1"
      ]
    case .text:
      if reach.has("text"), draw.percent(60) {
        return [
          draw.pick("\(f) = a.text", "\(f) = (\(f) .. a.text):sub(-12)", "\(f) = \(f) .. a.text")
        ]
      }
      return [draw.pick("\(f) = \(f):sub(1, 3) .. \"x\"", "\(f) = \(f):upper():sub(-6)")]
    case .flag: return [reach.has("flag") ? "\(f) = a.flag" : "\(f) = not \(f)"]
    case .choice(let values):
      let next = zip(values, values.dropFirst() + values.prefix(1))
        .map { "\($0) = \"\($1)\"" }.joined(separator: ", ")
      if reach.has("mode"), draw.percent(50) { return ["\(f) = a.mode"] }
      return ["\(f) = ({ \(next) })[\(f)]"]
    case .optional:
      if reach.has("maybe"), draw.percent(40) {
        return ["\(f) = a.maybe and (a.maybe - 1) % 2 + 1"]
      }
      return [
        draw.pick(
          "\(f) = none", "\(f) = \(f) and \(f) < 2 and \(f) + 1 or 1",
          "if not \(f) then \(f) = 2 end")
      ]
    case .integers(let most): return integers(f, most, reach)
    case .rows(let most): return rows(f, most, isFree)
    case .records(let most): return records(f, most, reach)
    case .nested:
      return [
        draw.pick(
          "\(f).a = \(f).a + 1", "\(f).b = { c = \"d\" .. \(f).a % 7 }",
          "\(f).b.c = \(f).b.c:sub(1, 2) .. \"e\"",
          "\(f) = { a = 2, b = { c = \"new\" } }")
      ]
    case .other: return []
    }
  }

  private mutating func integer(
    _ f: String, _ most: Int, _ reach: Reach, _ isFree: Bool
  ) -> String {
    if reach.has("n"), draw.percent(40) {
      return draw.pick(
        "\(f) = (\(f) + a.n) % \(most + 1)", "\(f) = \(f) + a.n", "\(f) = a.n % \(most + 1)")
    }
    if isFree, draw.percent(25) { return "\(f) = random(0, \(most))" }
    return draw.pick(
      "\(f) = (\(f) + 1) % \(most + 1)", "\(f) = \(f) + 1", "\(f) = \(most) - \(f)",
      "\(f) = \(f) - 1",
      "\(f) = math.min(\(most), \(f) + 2)")
  }

  private mutating func integers(_ f: String, _ most: Int, _ reach: Reach) -> [String] {
    if reach.has("many"), draw.percent(30) {
      return [
        "for _, v in ipairs(a.many) do", "  if #\(f) < \(most) then table.insert(\(f), v) end",
        "end",
      ]
    }
    return [
      draw.pick(
        "if #\(f) < \(most) then table.insert(\(f), 1, #\(f) * 3 % 10) end",
        "if #\(f) > 0 then table.remove(\(f), 1) end", "table.sort(\(f))", "\(f) = {}",
        "for i, v in ipairs(\(f)) do \(f)[i] = (v + 1) % 10 end",
        "table.insert(\(f), 7) if #\(f) > \(most) then table.remove(\(f), 1) end")
    ]
  }

  private mutating func rows(_ f: String, _ most: Int, _ isFree: Bool) -> [String] {
    let number = isFree ? "random(0, 5)" : "#\(f) % 6"
    return [
      draw.pick(
        "if #\(f) < \(most) then table.insert(\(f), { n = \(number), on = false }) end",
        "if #\(f) < \(most) then table.insert(\(f), 1, { n = \(number), on = true }) end",
        "if #\(f) > 0 then table.remove(\(f), 1) end",
        "table.sort(\(f), function(x, y) return x.n < y.n end)",
        "for _, r in ipairs(\(f)) do r.on = not r.on end",
        "for i = 1, #\(f) do \(f)[i].n = (\(f)[i].n + i) % 6 end",
        "if #\(f) > 1 then \(f)[1], \(f)[2] = \(f)[2], \(f)[1] end",
        "table.insert(\(f), { n = \(number), on = true })")
    ]
  }

  private mutating func records(_ f: String, _ most: Int, _ reach: Reach) -> [String] {
    let key = reach.has("id") ? "a.id" : draw.pick("\"k1\"", "\"k2\"")
    return [
      draw.pick(
        "\(f)[\(key)] = { n = 1, tag = \"x\" }",
        "if not \(f)[\(key)] then \(f)[\(key)] = { n = 0, tag = \"y\" } end",
        "\(f)[\(key)] = nil",
        "for k, r in pairs(\(f)) do r.n = (r.n + #k) % 6 end",
        "for k in pairs(\(f)) do \(f)[k] = nil break end",
        "local r = \(f)[\(key)] if r then r.tag = r.tag == \"x\" and \"y\" or \"x\" end",
        "for _, r in pairs(\(f)) do if r.n > 2 then r.n = 0 break end end")
    ]
  }
}
