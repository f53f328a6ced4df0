import FlowKernel
import FlowLanguage
import LuaRuntime
import StateCharts

/// A check of the syntax tree of a scenario file against its flow.
struct ScenarioCheck {
  let name: String
  let tree: LuaTree
  let flow: Flow
  /// The names that the flow's text calls by a colon or a dot, which may be capabilities.
  let called: Set<String>
  let shapes: TreeShapes
  private let state: Shape
  private let views: [String: Shape]
  /// The check of operators.
  private let values: TreeCheck

  init(name: String, tree: LuaTree, text: FlowText) {
    (self.name, self.tree, flow) = (name, tree, text.flow)
    state = Shape.state(of: text.flow)
    views = FlowCheck.answers(of: text.sources, FunctionRoles(text).roles)
    shapes = TreeShapes(tree, [:], views: views)
    values = TreeCheck(
      name: name, flow: flow, roles: [:], shapes: shapes, globals: [], texts: FieldTexts([]),
      tests: TestedNames(tree, [:]), guarded: GuardedNames([]), compared: ComparedFields([]))
    called = text.calledNames
  }

  var findings: [Finding] {
    TableCheck(name: name, tree: tree).findings + UnusedLocals(name: name, tree: tree).findings
      + GlobalCheck(
        name: name, tree: tree, words: LibraryWords.scenario.union(GlobalCheck.made(by: tree))
      ).findings
      + tree.expressions.flatMap { check($0) + values.values($0) }
      + tree.statements.flatMap { check($0) }
  }

  private func finding(_ kind: Finding.Kind, _ line: Int, _ message: String) -> Finding {
    Finding(kind, at: SourcePlace(file: name, line: line), message)
  }

  // MARK: Calls

  private func check(_ expression: LuaTree.Expression) -> [Finding] {
    switch expression.kind {
    case .method(let asked, "by", let arguments):
      return arguments.first.flatMap(tree.string).map { by($0, of: asked, expression.line) } ?? []
    case .method(let asked, let question, _):
      return self.question(question, of: asked, expression.line)
    case .field(let table, let member):
      guard case .global(let word) = tree.expressions[table].kind,
        let known = ScenarioCheck.members[word]
      else { return values.field(member, of: table, expression) }
      if known.contains(member) { return [] }
      let advice = Names.suggestion(for: member, among: known.sorted())
      return [finding(.unknownValue, expression.line, "there is no \(word).\(member)\(advice)")]
    case .call(let callee, let arguments):
      guard let path = path(of: callee) else { return [] }
      switch path.first {
      case "expect"?, "given"?: return expectation(path, arguments, expression)
      case "pass"?, "inside"?, "refuse"?: return dispatch(path, arguments, expression.line)
      case "stub"? where path.count == 1:
        return arguments.first.flatMap(tree.string).map { stub($0, expression.line) } ?? []
      case "advance"? where path.count == 1:
        return arguments.first.map { time($0, expression.line) } ?? []
      default: return []
      }
    default: return []
    }
  }

  /// Returns the findings for an action that is expected to pass, or to be refused.
  private func dispatch(
    _ path: [String], _ arguments: [LuaTree.ExpressionID], _ line: Int
  ) -> [Finding] {
    let name = path.count == 2 ? path[1] : arguments.first.flatMap(tree.string)
    guard path.count < 3, let name, let action = flow.action(named: name) else { return [] }
    if path[0] == "pass", action.isInternal {
      return [
        finding(
          .neverPasses, line,
          "\(name) is internal, and refused from outside: write inside.\(name)")
      ]
    }
    let payload = path.count == 2 ? arguments.first : arguments.dropFirst().first
    return TypeCheck.payload(of: action, payload, in: self.name, shapes, line: line)
  }

  private func time(_ id: LuaTree.ExpressionID, _ line: Int) -> [Finding] {
    guard let value = tree.literal(id), value.seconds == nil else { return [] }
    return [finding(.unknownValue, line, "\(value) is not a duration: write seconds, or \"1h30m\"")]
  }

  /// The names that may follow a word and a dot.
  private static let members: [String: Set<String>] = [
    "expect": [
      "state", "change", "view", "machine", "gatekeeper", "scope", "effects", "refused", "snapshot",
      "equal", "migrates", "fault",
    ],
    "given": ["gatekeeper", "random", "born"],
  ]

  /// Checks the time of `given.born`.
  private func birth(_ id: LuaTree.ExpressionID, _ line: Int) -> [Finding] {
    guard let value = tree.literal(id) else { return [] }
    if let text = value.stringValue, WallTime.microseconds(text) != nil { return [] }
    return [
      finding(
        .unknownValue, line,
        "\(value) is not a time for given.born: write \"2026-11-27T10:00:00Z\"")
    ]
  }

  /// Checks a question about a refused or failed dispatch: `refuse.pay():because("why")`.
  private func question(
    _ question: String, of asked: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    var id = asked
    while case .method(let inner, _, _) = tree.expressions[id].kind { id = inner }
    guard question != "because", case .call(let callee, _) = tree.expressions[id].kind,
      let path = path(of: callee), path.count > 1,
      path[0] == "refuse" || path[0] == "fail" || path.starts(with: ["expect", "refused"])
    else { return [] }
    let advice = Names.suggestion(for: question, among: ["because", "by"])
    return [finding(.unknownValue, line, "there is no method :\(question)(...)\(advice)")]
  }

  /// Returns the names of `expect.machine.order`, of which the first is a global, without keys of records.
  private func path(of id: LuaTree.ExpressionID) -> [String]? {
    var names: [String] = []
    var id = id
    while true {
      switch tree.expressions[id].kind {
      case .field(let table, let name):
        names.append(name)
        id = table
      case .index(let table, _): id = table
      case .global(let root): return [root] + names.reversed()
      default: return nil
      }
    }
  }

  private func expectation(
    _ path: [String], _ arguments: [LuaTree.ExpressionID], _ call: LuaTree.Expression
  ) -> [Finding] {
    if path.count == 3, path[1] == "refused", flow.action(named: path[2]) == nil {
      return [
        finding(
          .unknownValue, call.line,
          "there is no action \(path[2])"
            + Names.suggestion(for: path[2], among: flow.actionNames))
      ]
    }
    if path.count == 3, path[1] == "effects", path[2] != "none" {
      let advice = Names.suggestion(for: path[2], among: ["none"])
      return [finding(.unknownValue, call.line, "there is no expect.effects.\(path[2])\(advice)")]
    }
    guard let argument = arguments.first else { return [] }
    switch path.dropFirst().first {
    case "born"? where path[0] == "given" && path.count == 2: return birth(argument, call.line)
    case nil, "state"?, "change"?: return path.count < 3 ? part(argument, state) : []
    case "migrates"? where path.count == 2:
      guard case .table(let items) = tree.expressions[tree.bare(argument)].kind else { return [] }
      return items.flatMap { item -> [Finding] in
        if case .named("to", let to, _) = item { part(to, state) } else { [] }
      }
    case "view"? where path.count == 3:
      return views[path[2]].map { part(argument, $0, as: "view \(path[2])") } ?? []
    case "machine"? where path.count > 2: return machine(path[2], argument)
    case "scope"? where path.count == 3: return word(argument, among: ["open", "locked"])
    case "gatekeeper"? where path.count == 3:
      guard let gatekeeper = flow.gatekeepers.first(where: { $0.name == path[2] }) else {
        return []
      }
      return gatekeeper.isYesNo
        ? word(argument, among: ["held", "free"]) : options(argument, of: gatekeeper)
    default: return []
    }
  }

  /// Checks the options that a gatekeeper is expected to hold.
  private func options(_ id: LuaTree.ExpressionID, of gatekeeper: GatekeeperPolicy) -> [Finding] {
    guard case .table(let items) = tree.expressions[tree.bare(id)].kind else { return [] }
    let choices = gatekeeper.choices
    let known = Set(choices.flatMap(\.names))
    let isOpen = choices.contains { if case .workedOut = $0 { true } else { false } }
    if isOpen { return [] }
    return items.compactMap { item in
      guard let text = tree.string(item.value), !known.contains(text) else { return nil }
      let advice = Names.suggestion(for: text, among: known.sorted())
      return finding(
        .unknownValue, tree.expressions[tree.bare(item.value)].line,
        "gatekeeper \(gatekeeper.name) has no option \(text)\(advice)")
    }
  }

  private func word(_ id: LuaTree.ExpressionID, among words: [String]) -> [Finding] {
    guard let text = tree.string(id), !words.contains(text) else { return [] }
    let known = words.map { "\"\($0)\"" }.joined(separator: " or ")
    return [
      finding(
        .unknownValue, tree.expressions[tree.bare(id)].line, "this is \(known), never \"\(text)\"")
    ]
  }

  /// Checks the fields of a literal part of the state, and the values that can never be there.
  private func part(
    _ id: LuaTree.ExpressionID, _ shape: Shape, as title: String = "this"
  ) -> [Finding] {
    let expression = tree.expressions[tree.bare(id)]
    switch (shape.present, expression.kind) {
    case (.record(let record), .table(let items)):
      return items.flatMap { item -> [Finding] in
        guard case .named(let key, let value, let line) = item else { return [] }
        return field(key, value, of: record, line)
      }
    case (.list(let element, _), .table(let items)):
      return items.flatMap { part($0.value, element, as: title) }
    case (.map(let element, _), .table(let items)):
      return items.flatMap { part($0.value, element, as: title) }
    default: return value(id, shape, title, expression.line)
    }
  }

  private func value(
    _ id: LuaTree.ExpressionID, _ shape: Shape, _ title: String, _ line: Int
  ) -> [Finding] {
    guard let literal = tree.literal(id) else {
      guard case .table = tree.expressions[tree.bare(id)].kind,
        case .scalar(let type) = shape.present
      else { return [] }
      return [finding(.unknownValue, line, "\(title) is \(type.text), never a table")]
    }
    if let values = shape.choices {
      let names = values.compactMap(\.stringValue)
      if values.contains(literal) { return [] }
      guard let text = literal.stringValue else {
        return [finding(.unknownValue, line, "\(title) is a string, never \(literal)")]
      }
      // A compound state stands for the states inside it.
      if names.contains(where: { $0.hasPrefix(text + ".") }) { return [] }
      return [
        finding(
          .unknownValue, line,
          "there is no state \(text) here" + Names.suggestion(for: text, among: names))
      ]
    }
    if let type = shape.present.type {
      if TypeCheck.fits(literal, type) { return [] }
      return [finding(.unknownValue, line, "\(title) is \(type.text), never \(literal)")]
    }
    switch shape.present {
    case .value(let kind) where kind != .none && kind != .function:
      if kind == literal.kind || kind.isNumber && literal.kind.isNumber { return [] }
      return [finding(.unknownValue, line, "\(title) is \(kind.title), never \(literal)")]
    case .list, .map, .record:
      return [finding(.unknownValue, line, "\(title) is a table, never \(literal)")]
    default: return []
    }
  }

  private func field(
    _ key: String, _ value: LuaTree.ExpressionID, of record: Shape.Record, _ line: Int
  ) -> [Finding] {
    if let shape = record.fields[key] { return part(value, shape, as: "\(record.title).\(key)") }
    if record.isOpen { return [] }
    let steps = key.split { $0 == "." || $0 == "[" || $0 == "]" }.map(String.init)
    var (around, shape) = (record, Shape.record(record))
    for (number, step) in steps.enumerated() {
      if let inner = shape.record {
        guard let next = inner.fields[step] else {
          if inner.isOpen { return [] }
          let advice = Names.suggestion(for: step, among: inner.fields.keys.sorted())
          return [finding(.unknownField, line, "\(inner.title) has no field \(step)\(advice)")]
        }
        (around, shape) = (inner, next)
      } else {
        shape = shape.present.element
      }
      if number == steps.count - 1 { return part(value, shape, as: "\(around.title).\(key)") }
    }
    return []
  }

  private func machine(_ name: String, _ argument: LuaTree.ExpressionID) -> [Finding] {
    guard let text = tree.string(argument) else { return [] }
    let named = flow.machines.filter { machine in
      machine.name == name || machine.regionFields.contains { $0.field == name }
    }
    guard !named.isEmpty else { return [] }
    var names: Set<String> = []
    for machine in named {
      names.formUnion(machine.chart.states.flatMap { [$0.name, $0.path] })
      for region in machine.chart.regions.indices {
        names.formUnion(machine.values(of: region) + machine.paths(in: region))
      }
    }
    guard !names.contains(text) else { return [] }
    return [
      finding(
        .unknownValue, tree.expressions[tree.bare(argument)].line,
        "machine \(name) has no state \(text)" + Names.suggestion(for: text, among: names.sorted()))
    ]
  }

  // MARK: Texts that are names

  private func by(
    _ who: String, of asked: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    let words = who.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return [] }
    let action = action(asked)
    let known: [String]
    var own: [String]?
    switch words[0] {
    case "gate":
      known = flow.actions.flatMap { $0.rules.map(\.function.name) }
      own = action?.rules.map(\.function.name)
    case "machine":
      known = flow.machines.map(\.name)
      own = action?.machines.map { flow.machines[$0].name }
    case "gatekeeper":
      known = flow.gatekeepers.map(\.name)
      own = action?.gatekeepers.map { flow.gatekeepers[$0].name }
    case "scope": known = flow.scopes.map(\.name)
    default:
      let advice = Names.suggestion(for: words[0], among: ScenarioCheck.refusing)
      return advice.isEmpty
        ? [] : [finding(.unknownValue, line, "nothing that refuses is called \(who)\(advice)")]
    }
    let name = String(words[1].prefix { $0 != "[" })
    if known.contains(name) || known.contains(words[1]) {
      guard let own, let action, !own.contains(name), !own.contains(words[1]) else { return [] }
      return [
        finding(.unknownValue, line, "\(words[0]) \(name) does not apply to \(action.name)")
      ]
    }
    let advice = Names.suggestion(for: name, among: Set(known).sorted())
    return [finding(.unknownValue, line, "there is no \(words[0]) \(name)\(advice)")]
  }

  private static let refusing = ["gate", "machine", "gatekeeper", "scope", "invariant"]

  /// Returns the action of a question.
  private func action(_ asked: LuaTree.ExpressionID) -> Action? {
    var id = asked
    while case .method(let inner, _, _) = tree.expressions[id].kind { id = inner }
    guard case .call(let callee, _) = tree.expressions[id].kind, let path = path(of: callee),
      path.count > 1, let name = path.last
    else { return nil }
    return flow.action(named: name)
  }

  private func stub(_ capability: String, _ line: Int) -> [Finding] {
    let parts = capability.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2, Value.isName(parts[1]) else { return [] }
    let scopes = flow.scopes.map(\.name) + ["root"]
    guard scopes.contains(parts[0]) else {
      let advice = Names.suggestion(for: parts[0], among: scopes)
      return [finding(.unusedStub, line, "there is no scope \(parts[0])\(advice)")]
    }
    guard !called.contains(parts[1]) else { return [] }
    let advice = Names.suggestion(for: parts[1], among: called.sorted())
    return [
      finding(
        .unusedStub, line, "nothing in \(flow.file) calls \(parts[1])\(advice)")
    ]
  }

  // MARK: Statements

  private static let words: Set<String> = [
    "expect", "given", "pass", "inside", "refuse", "fail", "view", "may", "dispatch",
  ]

  /// Checks assignments to words that must be called: `expect.machine.order = "open"`.
  private func check(_ statement: LuaTree.Statement) -> [Finding] {
    guard case .assignment(let targets, _) = statement.kind else { return [] }
    return targets.compactMap { target in
      guard let path = path(of: target), path.count > 1, let root = path.first,
        ScenarioCheck.words.contains(root)
      else { return nil }
      return finding(
        .refusedWrite, statement.line,
        "\(path.joined(separator: ".")) must be called: put the value in brackets")
    }
  }
}
