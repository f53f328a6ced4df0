import LuaRuntime

/// A flow that is being drawn.
struct FlowDrawing {
  struct Action {
    let name: String
    var fields: [PayloadField] = []
    var payloads: [Value] = [[:]]
    var isInternal = false
    /// True if only what is drawn with it may use it: it has no other reducer, machine or effect.
    var isReserved = false
    /// True if its reducer and its effect are drawn with it.
    var hasEffect = false
  }

  let options: RandomFlow.Options
  var draw: Draw
  /// The random source for what states postpone and restart.
  var deferring: Draw
  var fields: [StateField] = []
  var actions: [Action] = []
  /// The states that `in_state` can be called with.
  var namedStates: [String] = []
  var views: [String] = []
  var gatekeepers: [String] = []
  /// The actions that scopes own.
  var ownActions: Set<String> = []
  /// The scopes whose parent is root.
  var scopes: [String] = []
  /// The flags that are set while an effect waits.
  var busy: [String] = []
  /// The declarations so far, after those of state and actions.
  var lines: [String] = []
  private var names = 0

  init(seed: UInt64, _ options: RandomFlow.Options) {
    self.options = options
    draw = Draw(seed: seed)
    deferring = Draw(seed: seed ^ 0xdefe)
  }

  /// The text of the flow.
  var text: String {
    var all = ["state {"]
    all += fields.map { "  \($0.name) = \($0.declaration)," }
    all += ["}", ""]
    for action in actions {
      let fields = action.fields.map { "\($0.name) = \($0.type)" }.joined(separator: ", ")
      all.append("\(action.isInternal ? "internal" : "action").\(action.name) { \(fields) }")
    }
    return (all + [""] + lines).joined(separator: "\n") + "\n"
  }

  /// Returns a unique name.
  mutating func name(_ kind: String) -> String {
    names += 1
    return "\(kind)\(names)"
  }

  /// The actions that reducers, machines and gatekeepers may be drawn for.
  var free: [Action] { actions.filter { !$0.isReserved } }

  /// Returns the actions after an index that effects may dispatch.
  func behind(_ index: Int) -> [Action] {
    actions.indices.filter { $0 > index && !actions[$0].isReserved }.map { actions[$0] }
  }

  mutating func drawAll() {
    drawFields()
    drawActions()
    if !options.isForEffects {
      drawScopes()
      drawGatekeepers()
      for _ in 0..<draw.from(0, to: 2) { drawMachine() }
      if draw.percent(35) { drawMachineOfRecords() }
    } else if draw.percent(40) {
      drawMachine()
    }
    drawViews()
    drawReducers()
    if !options.isForEffects {
      drawGates()
      drawInvariants()
      drawWalks()
    }
    if options.hasEffects { drawEffects() }
  }

  private mutating func drawActions() {
    for _ in 0..<draw.from(options.isForEffects ? 2 : 3, to: 6) {
      var action = Action(name: name("a"))
      if !options.isForEffects || draw.percent(50) { drawPayload(of: &action) }
      actions.append(action)
    }
    for _ in 0..<2 { actions.append(Action(name: name("tick"), isInternal: true)) }
    guard options.hasEffects else { return }
    if options.isFinite { drawWaiting() }
    actions.append(
      Action(
        name: "failed", fields: [PayloadField(name: "error", type: "string")], isInternal: true,
        isReserved: true))
    let relieves = options.isFinite && draw.percent(50) ? busy.map { "s.\($0) = false " } : []
    lines += [
      "function reduce.failed(s, a) \(relieves.joined())"
        + "s.trouble = \(options.isFinite ? "true" : "a.error") end"
    ]
    if options.isFinite {
      fields.append(
        StateField(name: "trouble", kind: .flag, declaration: "boolean { default = false }"))
      return
    }
    fields.append(StateField(name: "trouble", kind: .other, declaration: "none"))
    fields.append(StateField(name: "log", kind: .other, declaration: "list {}"))
    let noted = [
      PayloadField(name: "text", type: "string"), PayloadField(name: "v", type: "integer"),
    ]
    actions.append(Action(name: "noted", fields: noted, isInternal: true, isReserved: true))
    actions.append(
      Action(
        name: "done", fields: [PayloadField(name: "v", type: "integer")], isInternal: true,
        isReserved: true))
    lines += [
      "function reduce.noted(s, a)",
      "  table.insert(s.log, a.text .. \" \" .. a.v .. \"@\" .. now())",
      "  if #s.log > 12 then table.remove(s.log, 1) end", "end",
      "function reduce.done(s, a) table.insert(s.log, \"done \" .. a.v) end",
    ]
  }
}

extension FlowDrawing {
  /// Returns a payload as Lua source.
  static func lua(_ value: Value) -> String {
    switch value {
    case .list(let values): "{ " + values.map(lua).joined(separator: ", ") + " }"
    case .record(let fields):
      "{ "
        + fields.sorted { $0.key < $1.key }.map { "\($0.key) = \(lua($0.value))" }
        .joined(separator: ", ") + " }"
    case .string(let text): "\"\(text)\""
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    default: "nil"
    }
  }

  /// Returns lines indented by one step.
  static func indented(_ lines: [String]) -> [String] { lines.map { "  " + $0 } }
}
