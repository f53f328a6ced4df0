import Moonlatch
import StateCharts

/// What the tree of a scenario file says against the flow that it plays.
struct ScenarioCheck {
  let name: String
  let tree: LuaTree
  let flow: Flow
  /// The names that the flow's text calls by a colon or a dot: what may be a capability.
  let called: Set<String>
  private let state: Shape

  init(name: String, tree: LuaTree, text: FlowText) {
    (self.name, self.tree, flow) = (name, tree, text.flow)
    state = Shape.state(of: text.flow)
    var called: Set<String> = []
    for source in text.sources {
      for expression in source.tree?.expressions ?? [] {
        switch expression.kind {
        case .method(_, let name, _), .field(_, let name), .string(let name): called.insert(name)
        default: break
        }
      }
    }
    self.called = called
  }

  var findings: [Finding] {
    TableCheck(name: name, tree: tree).findings + UnusedLocals(name: name, tree: tree).findings
      + GlobalCheck(
        name: name, tree: tree, words: LibraryWords.scenario.union(GlobalCheck.made(by: tree))
      ).findings
      + tree.expressions.flatMap(check) + tree.statements.flatMap(check)
  }

  private func finding(_ kind: Finding.Kind, _ line: Int, _ message: String) -> Finding {
    Finding(kind, at: SourcePlace(file: name, line: line), message)
  }

  // MARK: Calls

  private func check(_ expression: LuaTree.Expression) -> [Finding] {
    switch expression.kind {
    case .method(_, "by", let arguments):
      return arguments.first.flatMap(tree.string).map { by($0, expression.line) } ?? []
    case .method(let asked, let question, _):
      return self.question(question, of: asked, expression.line)
    case .field(let table, let member):
      guard case .global("expect") = tree.expressions[table].kind,
        !ScenarioCheck.expectations.contains(member)
      else { return [] }
      let advice = Names.suggestion(for: member, among: ScenarioCheck.expectations.sorted())
      return [
        finding(.unknownValue, expression.line, "there is no expect.\(member)\(advice)")
      ]
    case .call(let callee, let arguments):
      guard let path = path(of: callee) else { return [] }
      switch path.first {
      case "expect"?, "given"?: return expectation(path, arguments, expression)
      case "pass"?, "inside"?, "refuse"?:
        guard path.count == 2 else { return [] }
        return PayloadCheck(name: name, tree: tree, flow: flow)
          .check(path[1], arguments.first, isWhole: true, expression)
      case "stub"? where path.count == 1:
        return arguments.first.flatMap(tree.string).map { stub($0, expression.line) } ?? []
      default: return []
      }
    default: return []
    }
  }

  private static let expectations: Set<String> = [
    "state", "change", "view", "machine", "gatekeeper", "scope", "effects", "refused", "snapshot",
    "equal",
  ]

  /// What a refused or failed dispatch is asked: `refuse.pay():because("why")`.
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
    return [finding(.unknownValue, line, "there is no question \(question)\(advice)")]
  }

  /// `expect.machine.order` as its names, the first of them a global; keys of records are left out.
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
    guard let argument = arguments.first else { return [] }
    switch path.dropFirst().first {
    case nil, "state"?, "change"?: return path.count < 3 ? part(argument, state) : []
    case "machine"? where path.count > 2: return machine(path[2], argument)
    case "scope"? where path.count == 3: return word(argument, among: ["open", "locked"])
    case "gatekeeper"? where path.count == 3:
      let isYesNo = flow.keepers.first { $0.name == path[2] }?.isYesNo == true
      return isYesNo ? word(argument, among: ["held", "free"]) : []
    default: return []
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

  /// The fields of a part of the state, written out.
  private func part(_ id: LuaTree.ExpressionID, _ shape: Shape) -> [Finding] {
    let expression = tree.expressions[tree.bare(id)]
    switch (shape, expression.kind) {
    case (.record(let record), .table(let items)):
      return items.flatMap { item -> [Finding] in
        guard case .named(let key, let value, let line) = item else { return [] }
        return field(key, value, of: record, line)
      }
    case (.choice(let values), .string(let text)):
      let names = values.compactMap(\.stringValue)
      // A state around others stands for what is inside it.
      if names.contains(where: { $0 == text || $0.hasPrefix(text + ".") }) { return [] }
      return [
        finding(
          .unknownValue, expression.line,
          "there is no state \(text) here" + Names.suggestion(for: text, among: names))
      ]
    default: return []
    }
  }

  private func field(
    _ key: String, _ value: LuaTree.ExpressionID, of record: Shape.Record, _ line: Int
  ) -> [Finding] {
    if let shape = record.fields[key] { return part(value, shape) }
    let first = String(key.prefix { $0 != "." && $0 != "[" })
    guard !first.isEmpty, record.fields[first] == nil else { return [] }
    let advice = Names.suggestion(for: first, among: record.fields.keys.sorted())
    return [finding(.unknownField, line, "\(record.title) has no field \(first)\(advice)")]
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

  private func by(_ who: String, _ line: Int) -> [Finding] {
    let words = who.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return [] }
    let known: [String]
    switch words[0] {
    case "gate": known = flow.actions.flatMap { $0.rules.map(\.function.name) }
    case "machine": known = flow.machines.map(\.name)
    case "gatekeeper": known = flow.keepers.map(\.name)
    case "scope": known = flow.scopes.map(\.name)
    default: return []
    }
    let name = String(words[1].prefix { $0 != "[" })
    guard !known.contains(name), !known.contains(words[1]) else { return [] }
    let advice = Names.suggestion(for: name, among: Set(known).sorted())
    return [finding(.unknownValue, line, "there is no \(words[0]) \(name)\(advice)")]
  }

  private func stub(_ capability: String, _ line: Int) -> [Finding] {
    let parts = capability.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2, Value.isName(parts[1]), !called.contains(parts[1]) else { return [] }
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

  /// Words that are called and are written: `expect.machine.order = "open"`.
  private func check(_ statement: LuaTree.Statement) -> [Finding] {
    guard case .assignment(let targets, _) = statement.kind else { return [] }
    return targets.compactMap { target in
      guard let path = path(of: target), path.count > 1, let root = path.first,
        ScenarioCheck.words.contains(root)
      else { return nil }
      return finding(
        .refusedWrite, statement.line,
        "\(path.joined(separator: ".")) is called, not written: put the value in brackets")
    }
  }
}
