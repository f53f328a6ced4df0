/// The properties of an effect that is being drawn.
struct EffectProgram {
  var isDurable: Bool
  /// The actions that it may dispatch.
  var reaches: [FlowDrawing.Action]
  var isOfState = false
  /// True if it may wait.
  var waits = false
  /// True if it runs in the scope of its action, and not in root.
  var isScoped = false
  /// The depth of nested functions that run side by side.
  var depth = 0
}

extension FlowDrawing {
  mutating func drawEffects() {
    for (index, action) in actions.enumerated()
    where !action.isReserved && !action.isInternal && !action.hasEffect {
      guard draw.percent(options.isForEffects ? 85 : 45) else { continue }
      var program = EffectProgram(
        isDurable: options.hasDurable && (options.isForEffects || draw.percent(60)),
        reaches: behind(index))
      program.isScoped = ownActions.contains(action.name)
      if draw.percent(15), !options.isFinite {
        lines.append("effect(\"named_\(action.name)\", { \"\(action.name)\" }, {")
        lines += FlowDrawing.indented(definition(of: &program, parameters: "self, a, t"))
        lines.append("})")
      } else {
        lines.append("effect.\(action.name) = {")
        lines += FlowDrawing.indented(definition(of: &program, parameters: "self, a, t"))
        lines.append("}")
      }
    }
    if draw.percent(20), !options.isFinite {
      lines.append(
        "effect(\"audit\", \"*\", function(self, a, t) print(t.action, t.revision, t.time) end)")
    }
  }

  /// Returns the fields of an effect's declaration.
  mutating func definition(of program: inout EffectProgram, parameters: String) -> [String] {
    // A state has one effect at a time, so that the number of states is finite.
    program.waits =
      options.isFinite ? program.isOfState : program.isDurable || options.plainWaits
    var lines: [String] = []
    if program.isDurable { lines.append("durable = true,") }
    if draw.percent(70) { lines.append("on_error = \"failed\",") }
    let isDone = !options.isFinite && draw.percent(30)
    if isDone { lines.append("on_done = \"done\",") }
    lines += ["run = function(\(parameters))", "  local v = 0"]
    lines += FlowDrawing.indented(steps(draw.from(1, to: options.isForEffects ? 5 : 4), program))
    if isDone { lines.append("  return { v = v }") }
    return lines + ["end,"]
  }

  private mutating func steps(_ count: Int, _ program: EffectProgram) -> [String] {
    (0..<count).flatMap { _ in step(program) }
  }

  private mutating func step(_ program: EffectProgram) -> [String] {
    if options.isFinite { return finiteStep(program) }
    switch draw.below(program.waits ? 16 : 9) {
    case 0, 1: return dispatch(program)
    case 2: return dispatchNoted("n")
    case 3: return later(program)
    case 4: return ["v = (v + random(9)) % 1000"]
    case 5: return asked(program)
    case 6, 7: return call(program)
    case 8: return rarely(program)
    case 9, 10, 11: return ["sleep(\(draw.pick("0", "0.5", "1", "2", "3", "5", "10")))"]
    case 12: return retried(program)
    case 13, 14: return sideBySide(program)
    default: return call(program) + dispatchNoted("c")
    }
  }

  private mutating func finiteStep(_ program: EffectProgram) -> [String] {
    switch draw.below(program.waits ? 6 : 4) {
    case 0, 1: return dispatch(program)
    case 2: return later(program)
    case 3: return ["if view.total() > 2 then v = 1 end"]
    case 4: return ["sleep(\(draw.pick("1", "2", "5")))"]
    default:
      let both = draw.pick("all", "race")
      return ["\(both) { function() sleep(1) end, function() sleep(2) end }"]
    }
  }

  /// Draws an action whose effect waits and which is refused meanwhile, so that the number of effects is finite.
  mutating func drawWaiting() {
    for _ in 0..<draw.from(0, to: 1) {
      let (action, flag, ended) = (name("load"), name("busy"), name("loaded"))
      fields.append(
        StateField(name: flag, kind: .flag, declaration: "boolean { default = false }"))
      busy.append(flag)
      actions.append(Action(name: action, hasEffect: true))
      actions.append(Action(name: ended, isInternal: true, hasEffect: true))
      lines += [
        "gate(\"one_\(action)\", { \"\(action)\" }, function(s)",
        "  return not s.\(flag), \"one is under way\"", "end)",
        "function reduce.\(action)(s) s.\(flag) = true end",
        "function reduce.\(ended)(s) s.\(flag) = false end", "effect.\(action) = {",
        draw.percent(70) ? "  on_error = \"failed\"," : "",
        "  run = function(self, a) sleep(1) dispatch.\(ended)() end,", "}",
      ]
    }
  }

  private func dispatchNoted(_ text: String) -> [String] {
    ["dispatch.noted { text = \"\(text)\", v = v }"]
  }

  private mutating func dispatch(_ program: EffectProgram) -> [String] {
    guard let action = draw.one(of: program.reaches), let payload = draw.one(of: action.payloads)
    else { return [] }
    return ["dispatch.\(action.name)(\(FlowDrawing.lua(payload)))"]
  }

  private mutating func later(_ program: EffectProgram) -> [String] {
    guard let action = draw.one(of: program.reaches), let payload = draw.one(of: action.payloads)
    else { return [] }
    let set =
      "after(\(draw.pick("0", "1", "2", "4", "5", "10", "\"1m\"")), \"\(action.name)\", \(FlowDrawing.lua(payload)))"
    switch draw.below(5) {
    case 0: return ["do local timer = \(set) if v % 2 == 1 then timer:cancel() end end"]
    case 1: return [set, "v = v + cancel(\"\(action.name)\")"]
    default: return [set]
    }
  }

  private mutating func asked(_ program: EffectProgram) -> [String] {
    let action = draw.one(of: program.reaches)
    switch draw.below(4) {
    case 0: return ["v = v + view.total()"]
    case 1:
      guard let action, let payload = draw.one(of: action.payloads) else { return [] }
      return ["if may.\(action.name)(\(FlowDrawing.lua(payload))) then v = v + 1 end"]
    case 2:
      guard let gatekeeper = draw.one(of: gatekeepers) else { return ["v = v + now() // 1"] }
      return ["if gatekeeper.\(gatekeeper) then v = v + 3 end"]
    default: return ["v = math.tointeger((v + now()) // 1) or 0"]
    }
  }

  private mutating func call(_ program: EffectProgram) -> [String] {
    guard options.hasCalls else { return dispatchNoted("x") }
    let name = program.waits ? draw.pick("ask", "fetch", "ask", "fetch", "try", "send") : "ask"
    if name == "try" || name == "send" {
      return [
        "do local ok, got = pcall(function() return self:\(name)(v) end)",
        "  v = ok and v + got or v + 50 end",
      ]
    }
    return ["v = (v + self:\(name)(v)) % 1000"]
  }

  private mutating func retried(_ program: EffectProgram) -> [String] {
    guard options.hasCalls else { return dispatchNoted("r") }
    let name = draw.pick("try", "send")
    let more = draw.percent(30) ? "self:ask(v) " : ""
    return [
      "v = (v + retry({ times = 4, wait = \(draw.pick("1", "0.5", "2")), factor = 2 }, function()",
      "  \(more)return self:\(name)(v)", "end)) % 1000",
    ]
  }

  private mutating func rarely(_ program: EffectProgram) -> [String] {
    switch draw.below(5) {
    case 4:
      guard options.hasCalls, !program.isScoped, !program.isOfState,
        let scope = draw.one(of: scopes)
      else { return ["print(\"w\", v)"] }
      return [
        "do local other = self:unlock(\"\(scope)\", 2) other:close()",
        "  v = v + (pcall(function() return other:ask(v) end) and 1 or 2) end",
      ]
    case 0: return ["if v % 5 == 3 then error(\"no luck with \" .. v, 0) end"]
    case 1: return ["print(\"at\", v)"]
    case 2:
      guard !program.isScoped, !program.isOfState, let scope = draw.one(of: scopes) else {
        return ["print(\"v\", v, now())"]
      }
      return [
        "do local mine <close> = self:unlock(\"\(scope)\", 3)", "  print(mine:title())",
        program.waits ? "  sleep(1) end" : "end",
      ]
    default: return ["for i = 1, 3 do v = v + i end"]
    }
  }

  private mutating func sideBySide(_ program: EffectProgram) -> [String] {
    guard program.depth < 2 else { return ["sleep(1)"] }
    var inner = program
    inner.depth += 1
    var lines: [String] = []
    for name in ["x", "y", "z"].prefix(draw.from(2, to: 3)) {
      lines += ["  \(name) = function()", "    local v = v"]
      lines += steps(draw.from(1, to: 3), inner).map { "    " + $0 }
      lines += ["    return v", "  end,"]
    }
    if draw.percent(50) {
      return ["do local all_of = all {"] + lines
        + ["  }", "  v = (v + all_of.x + all_of.y) % 1000 end"]
    }
    return ["do local who, got = race {"] + lines
      + ["  }", "  v = (v + got) % 1000", "  dispatch.noted { text = who, v = v } end"]
  }
}
