/// What an exploration asks.
extension FlowDrawing {
  /// Properties of each kind, a line each.
  mutating func properties() -> String {
    guard options.isFinite else { return "" }
    return [
      "never(\"p1\", function(s) return \(asked()) and \(asked()) end)",
      "always(\"p2\", function(s) return \(asked()) or \(asked()) end)",
      "sometimes(\"p3\", function(s) return not (\(asked())) and \(asked()) end)",
      "step(\"p4\", function(before, after, action)",
      "  local s = before", "  if \(asked()) and action.name ~= \"failed\" then",
      "    s = after", "    return \(asked())", "  end", "  return true", "end)",
      "eventually(\"p5\", function(s) return \(asked()) and not (\(asked())) end)",
      "leads_to(\"p6\", function(s) return \(asked()) end, function(s) return not (\(asked())) end)",
    ].joined(separator: "\n")
  }

  /// A bound of the exploration, for a part of the flows.
  mutating func bound() -> String {
    guard options.isFinite, draw.percent(25) else { return "" }
    return " within = function(s) return \(asked()) or \(asked()) end "
  }

  /// A condition that a file may ask which is not the flow's.
  private mutating func asked() -> String {
    let names = namedStates
    defer { namedStates = names }
    namedStates = []
    return "(\(condition(Reach(isFree: false)).text))"
  }
}
