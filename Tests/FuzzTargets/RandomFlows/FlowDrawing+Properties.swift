/// The drawing of the properties of an exploration.
extension FlowDrawing {
  /// Returns properties of each kind, one per line.
  mutating func properties() -> String {
    guard options.isFinite else { return "" }
    return [
      "never(\"p1\", function(s) return \(asked()) and \(asked()) end)",
      "always(\"p2\", function(s) return \(asked()) or \(asked()) end)",
      "sometimes(\"p3\", function(s) return not (\(asked())) and \(asked()) end)",
      "step(\"p4\", function(before, after, action)",
      "  local s = before", "  if \(asked()) and action.name ~= \"failed\" then",
      "    s = after", "    return \(asked())", "  end", "  return true", "end)",
      "eventually(\"p5\", function(s) return \(asked()) and not (\(asked())) end\(fair()))",
      "leads_to(\"p6\", function(s) return \(asked()) end, function(s) return not (\(asked())) end\(fair()))",
      "eventually(\"p7\", function(s) return \(asked()) or \(asked()) end\(fair()))",
    ].joined(separator: "\n")
  }

  /// Returns the moves that a promise treats as fair, which are its last argument: often all of them.
  private mutating func fair() -> String {
    let often = draw.percent(50) ? 95 : 40
    var all: [String] = []
    for action in actions where !action.isInternal && draw.percent(often) {
      let name = "\"\(action.name)\""
      let field = draw.one(of: action.fields)?.name
      let payload = draw.one(of: action.payloads) ?? [:]
      switch (draw.percent(40) ? field : nil, draw.percent(50)) {
      case (let field?, true): all.append("{ \(name), \"\(field)\" }")
      case (let field?, false):
        all.append("{ \(name), \(field) = \(FlowDrawing.lua(payload[field] ?? .nil)) }")
      case (nil, _): all.append(name)
      }
    }
    if draw.percent(often) { all.append("\"time passes\"") }
    if draw.percent(often) { all.append("\"effects end\"") }
    return all.isEmpty ? "" : ", { fair = { \(all.joined(separator: ", ")) } }"
  }

  /// Returns a bound of the exploration; empty for most flows.
  mutating func bound() -> String {
    guard options.isFinite, draw.percent(25) else { return "" }
    return " within = function(s) return \(asked()) or \(asked()) end "
  }

  /// Returns a condition that an exploration file can use, without names of the flow's states.
  private mutating func asked() -> String {
    let names = namedStates
    defer { namedStates = names }
    namedStates = []
    return "(\(condition(Reach(isFree: false)).text))"
  }
}
