/// The drawing of conditions, and of reducers, gates, invariants and views, which use them.
extension FlowDrawing {
  /// Returns a condition, and the reason for which it does not hold.
  mutating func condition(_ reach: Reach) -> (text: String, reason: String) {
    if let known = payloadCondition(reach), draw.percent(35) { return known }
    if let state = draw.one(of: namedStates), draw.percent(25) {
      return ("in_state(s, \"\(state)\")", "\"not in \(state)\"")
    }
    guard let field = draw.one(of: fields) else { return ("true", "\"never\"") }
    let f = "s.\(field.name)"
    switch field.kind {
    case .integer(let most, _):
      return ("\(f) < \(most)", "\"\(field.name) is \" .. \(f)")
    case .number: return ("\(f) < 40", "\"too much\"")
    case .text: return ("#\(f) < 8", "\(f) .. \" is long\"")
    case .flag: return draw.percent(50) ? ("\(f)", "\"it is off\"") : ("not \(f)", "\"it is on\"")
    case .choice: return ("\(f) ~= \"y\"", "\"\(field.name) is \" .. \(f)")
    case .optional:
      return draw.percent(50)
        ? ("\(f) ~= nil", "\"nobody is there\"") : ("not \(f)", "\"taken by \" .. \(f)")
    case .integers(let most), .rows(let most): return ("#\(f) < \(most)", "\"full: \" .. #\(f)")
    case .records: return ("next(\(f)) ~= nil", "\"none of \(field.name)\"")
    case .nested: return ("\(f).a % 4 ~= 3", "\"a is \" .. \(f).a")
    case .other: return ("\(f) == nil or true", "\"other\"")
    }
  }

  private mutating func payloadCondition(_ reach: Reach) -> (text: String, reason: String)? {
    let all: [String: (String, String)] = [
      "n": ("a.n < 2", "a.n .. \" is too much\""), "flag": ("a.flag", "\"not flagged\""),
      "mode": ("a.mode ~= \"y\"", "\"not in mode \" .. a.mode"),
      "id": ("a.id ~= \"k2\"", "\"not \" .. a.id"), "text": ("a.text ~= \"\"", "\"say something\""),
      "maybe": ("a.maybe ~= nil", "\"no maybe\""), "x": ("a.x < 100", "\"too large\""),
    ]
    return draw.one(of: reach.payload.compactMap { all[$0.name] })
  }

  mutating func drawReducers() {
    for action in free where !action.hasEffect && draw.percent(85) {
      lines.append("function reduce.\(action.name)(s, a)")
      lines += FlowDrawing.indented(
        statements(draw.from(1, to: 4), Reach(payload: action.fields)))
      lines.append("end")
    }
  }

  mutating func drawGates() {
    for action in free where draw.percent(25) {
      let condition = condition(Reach(payload: action.fields))
      lines += [
        "function gate.\(action.name)(s, a)", "  return \(condition.text), \(condition.reason)",
        "end",
      ]
    }
    if draw.percent(40) {
      let names = draw.some(2, of: free.map(\.name)).map { "\"\($0)\"" }.joined(separator: ", ")
      let condition = condition(Reach(isFree: false))
      lines += [
        "gate(\"several\", { \(names) }, function(s, a, name)",
        "  return \(condition.text), name .. \": \" .. \(condition.reason)", "end)",
      ]
    }
  }

  /// Draws invariants that hold in the initial state, because counts begin at 0.
  mutating func drawInvariants() {
    for field in fields where draw.percent(35) {
      guard case .integer(let most, false) = field.kind else { continue }
      lines += [
        "function invariant.\(field.name)_stays(s)",
        "  return s.\(field.name) >= 0 and s.\(field.name) <= \(most), \"\(field.name) is \" .. s.\(field.name)",
        "end",
      ]
    }
  }

  /// Draws invariants that iterate over lists and maps, with intermediate results in locals; some do not hold.
  mutating func drawWalks() {
    guard options.isFinite else { return }
    for field in fields where draw.percent(60) {
      let f = "s.\(field.name)"
      let each: String
      switch field.kind {
      case .integers:
        each =
          draw.percent(50)
          ? "for i = 1, #\(f) do local v = \(f)[i]" : "for i, v in ipairs(\(f)) do"
      case .rows: each = "for i, row in ipairs(\(f)) do local v = row.n"
      case .records: each = "for i, record in pairs(\(f)) do local v = record.n"
      default: continue
      }
      let other = condition(Reach(isFree: false)).text
      lines += comparison("is_large_\(field.name)")
      lines += [
        "function invariant.walk_\(field.name)(s)", "  local count, last, seen = 0, 0, false",
        "  \(each)",
        "    if is_large_\(field.name)(v, \(draw.from(0, to: 1))) then",
        "      count, seen = count + 1, seen or i ~= 1",
        "    elseif seen and \(other) then", "      \(draw.percent(50) ? "break" : "last = v")",
        "    end",
        draw.percent(30)
          ? "    if last == v and count > 2 then return false, \"at \" .. i end" : "",
        "  end",
        "  return count < \(draw.from(1, to: 4)) or last == 0, \"\(field.name): \" .. count", "end",
      ]
    }
  }

  /// Returns a function that compares two numbers; some cache their results in a table or a local.
  private mutating func comparison(_ name: String) -> [String] {
    let kept = RandomFlow.keptPrefix + name
    return switch draw.from(0, to: 9) {
    case 0, 1:
      [
        "local \(kept) = {}", "local function \(name)(v, least)",
        "  local key = v * 10 + least",
        "  if \(kept)[key] == nil then \(kept)[key] = v > least end",
        "  return \(kept)[key]", "end",
      ]
    case 2:
      [
        "local \(kept), answer_\(name)", "local function \(name)(v, least)",
        "  local key = v * 10 + least",
        "  if \(kept) ~= key then \(kept), answer_\(name) = key, v > least end",
        "  return answer_\(name)", "end",
      ]
    default: ["local function \(name)(v, least) return v > least end"]
    }
  }

  mutating func drawViews() {
    views = ["total"]
    lines += ["function view.total(s)", "  local total = 0"]
    for field in fields {
      let f = "s.\(field.name)"
      switch field.kind {
      case .integer: lines.append("  total = total + \(f)")
      case .integers: lines.append("  for _, v in ipairs(\(f)) do total = total + v end")
      case .rows: lines.append("  for _, r in ipairs(\(f)) do total = total + r.n end")
      case .records: lines.append("  for _, r in pairs(\(f)) do total = total + r.n end")
      case .flag: lines.append("  if \(f) then total = total + 1 end")
      case .text: lines.append("  total = total + #\(f)")
      case .number, .choice, .optional, .nested, .other: break
      }
    }
    lines += ["  return math.tointeger(total) or 0", "end"]
    if let field = fields.first(where: { if case .other = $0.kind { false } else { true } }) {
      views.append("first")
      lines.append("function view.first(s) return { s.\(field.name) } end")
    }
  }
}
