/// The drawing of gatekeepers and scopes.
extension FlowDrawing {
  mutating func drawGatekeepers() {
    for _ in 0..<draw.from(0, to: 2) {
      let name = name("keeper")
      let parts = draw.some(draw.from(2, to: 4), of: free)
      guard parts.count > 1 else { continue }
      let isPlain = draw.percent(40)
      var entries: [String] = []
      for (place, action) in parts.enumerated() {
        let verbs = isPlain ? plainVerb(place) : optionVerbs(action, place)
        entries.append("  \(action.name) = \(verbs),")
      }
      lines += ["gatekeeper.\(name) {"] + entries + ["}"]
      gatekeepers.append(isPlain ? "\(name):may_pass()" : "\(name):may_pass(\"x\")")
    }
  }

  private mutating func plainVerb(_ place: Int) -> String {
    switch place {
    case 0: "\"attempt\""
    case 1: "\"reset\""
    default: draw.pick("\"attempt\"", "\"reset\"", "\"unless\"")
    }
  }

  private mutating func optionVerbs(_ action: Action, _ place: Int) -> String {
    if place > 0, action.fields.contains(where: { $0.name == "mode" }), draw.percent(60) {
      let verb = draw.pick("attempt", "reset")
      return "{ \(verb) = function(s, a) return a.mode end }"
    }
    switch place {
    case 0: return "{ attempt = { \"x\", \"y\" } }"
    case 1: return draw.pick("{ reset = \"x\" }", "{ reset = \"*\" }")
    case 2:
      return draw.pick("{ reset = \"x\", attempt = \"y\" }", "{ attempt = \"y\", unless = \"x\" }")
    default: return draw.pick("{ unless = \"y\" }", "{ reset = { \"x\", \"y\" } }")
    }
  }

  mutating func drawScopes() {
    let keys = fields.filter { if case .optional = $0.kind { true } else { false } }
    // At least one action must be able to provide a key.
    var owned = Array(free.filter { !$0.isInternal }.dropFirst())
    for field in keys.prefix(2) where draw.percent(80) {
      let name = name("scope")
      let mine = draw.some(draw.from(0, to: 2), of: owned)
      owned.removeAll { action in mine.contains { $0.name == action.name } }
      var parts = ["  key = function(s) return s.\(field.name) end,"]
      let parent = draw.percent(40) ? scopes.last : nil
      if let parent { parts.append("  parent = \"\(parent)\",") }
      if !mine.isEmpty {
        parts.append("  actions = { \(mine.map { "\"\($0.name)\"" }.joined(separator: ", ")) },")
      }
      parts.append(
        "  make = { title = function(self) return \"\(name) of \" .. tostring(self.key) end },")
      lines += ["scope.\(name) {"] + parts + ["}"]
      if parent == nil { scopes.append(name) }
      ownActions.formUnion(mine.map(\.name))
    }
  }
}
