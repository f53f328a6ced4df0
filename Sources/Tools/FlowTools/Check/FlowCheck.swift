import FlowKernel
import FlowLanguage
import LuaRuntime

/// All checks of a flow that do not run its scenarios.
struct FlowCheck {
  let text: FlowText
  /// The views that the scenario files of the flow read; nil if no scenario file is known.
  let viewsReadOutside: Set<String>?
  /// True if the flow must survive a restart.
  var isDurable = false
  /// True if views and fields that nothing reads are reported; a host may read them.
  var reportsUnread = false

  /// Returns all findings except those that comments allow; throws the error that keeps the flow from starting.
  func findings() throws -> [Finding] {
    let (findings, fault) = run()
    if let fault { throw fault }
    return findings
  }

  /// Returns all findings, and the error that keeps the flow from starting.
  func run() -> (findings: [Finding], fault: (any Error)?) {
    // If the flow does not start, no scope is reported as never open.
    var open = Set(text.flow.scopes.map(\.name))
    var errors: [Finding] = []
    // The obstacles of a document are among its findings.
    if text.flow.document?.obstacles.isEmpty == false { return (findings(open: open), nil) }
    var failing: [Finding] = []
    do {
      let engine = try Engine(text.loaded, limits: text.loaded.limits, log: ScriptLog { _ in })
      open = try Set(engine.scopeNames.filter { try engine.isOpen(scope: $0) })
      errors = engine.beginningErrors.map { Finding(.document, $0) }
      failing = failingViews(of: engine)
    } catch {
      return (findings(open: open), error)
    }
    let found = findings(open: open)
    // A finding that the text shows says more.
    let places = Set(found.map(\.place))
    return (found + failing.filter { !places.contains($0.place) } + errors, nil)
  }

  /// Returns the views without parameters that raise an error in the initial state.
  private func failingViews(of engine: Engine) -> [Finding] {
    let allowances = Allowances(text.sources)
    let views = text.flow.views.map(\.function).filter { $0.parameters < 2 }
    return views.compactMap { view -> Finding? in
      do throws(ViewError) {
        _ = try engine.view(view.name)
        return nil
      } catch {
        guard case .failed(let failure) = error, failure.kind == .runtime else { return nil }
        let place = SourcePlace(
          file: failure.chunk ?? view.place.file, line: failure.line ?? view.place.line)
        let finding = Finding(
          .failingView, at: place,
          "view \(view.name) raises an error in the initial state: \(failure.message)")
        return allowances.allow(finding) ? nil : finding
      }
    }
  }

  private func findings(open: Set<String>) -> [Finding] {
    if let document = text.flow.document { return findings(of: document) }
    let use = StateUse(text)
    let scopes = ScopeCheck(text: text, use: use, open: open).run()
    let reach = Reachability(text.flow, closedScopes: scopes.closed)
    let lines = DeclarationLines(text.loaded.texts)
    var all =
      NameCheck(text: text).findings
      + MachineCheck(flow: text.flow, reach: reach, lines: lines).findings
      + scopes.findings + (reportsUnread ? views + fields(use, lines) : [])
      + ChangedLocals(text: text).findings
      + OwnWords(text: text).findings + luaNames + InternalActions(text: text).findings + trees
      + gatekeepers
      + EffectOutcomes(text: text).findings
    if isDurable {
      // The finding that names the function is the better one.
      let durable = DurableCheck(text: text).findings
      let lost = durable.filter { $0.kind == .lostLocal }.map(\.place)
      all = all.filter { $0.kind != .changedLocal || !lost.contains($0.place) } + durable
    }
    let allowances = Allowances(text.sources)
    return all.filter { !allowances.allow($0) }
  }

  /// Returns the findings for an SCXML document, which has no Lua file: its chart is its only declaration.
  private func findings(of document: FlowDocument) -> [Finding] {
    let reach = Reachability(text.flow, closedScopes: [])
    let machines = MachineCheck(flow: text.flow, reach: reach, lines: DeclarationLines([])).findings
    // The end of a state is an event that need not be handled.
    return (document.warnings + document.obstacles).map { Finding(.document, $0) }
      + machines.filter { $0.kind != .unheardEnd } + DocumentCheck(text: text).findings
  }

  /// The findings of the syntax trees of its files.
  private var trees: [Finding] {
    let roles = FunctionRoles(text).roles
    let sources = text.sources.filter { $0.tree != nil }
    let globals = sources.compactMap(\.tree).reduce(into: Set<String>()) {
      $0.formUnion(GlobalCheck.made(by: $1))
    }
    let views = answers(of: sources, roles)
    let shapes = sources.compactMap { source in
      source.tree.map {
        TreeShapes($0, TreeCheck.taken(roles[source.name] ?? [:], in: $0), views: views)
      }
    }
    let texts = FieldTexts(shapes)
    let tests = zip(sources, shapes).map {
      TestedNames($1.tree, roles[$0.name] ?? [:], $1.functions)
    }
    let guarded = GuardedNames(tests)
    let present = PresentFields(text.flow, shapes)
    let compared = ComparedFields(zip(sources, shapes).map { ($1, roles[$0.name] ?? [:]) })
    let found = sources.indices.flatMap { number in
      var check = TreeCheck(
        name: sources[number].name, flow: text.flow, roles: roles[sources[number].name] ?? [:],
        shapes: shapes[number], globals: globals, texts: texts, tests: tests[number],
        guarded: guarded, compared: compared)
      check.isModule = sources[number].name != text.flow.file
      check.present = present
      return check.findings
    }
    return found + UnusedFunctions(sources).findings
  }

  /// Returns the shapes of the views' results, if any file reads a view.
  private func answers(
    of sources: [LuaSource], _ roles: [String: [LuaTree.FunctionID: FunctionRole]]
  ) -> [String: Shape] {
    guard
      sources.contains(where: { $0.accesses.contains { $0.root == "view" && $0.use == .read } })
    else { return [:] }
    return FlowCheck.answers(of: sources, roles)
  }

  /// Returns the shapes of the views' results, as far as the text shows them.
  static func answers(
    of sources: [LuaSource], _ roles: [String: [LuaTree.FunctionID: FunctionRole]]
  ) -> [String: Shape] {
    var answers: [String: Shape] = [:]
    for source in sources {
      guard let tree = source.tree, let own = roles[source.name],
        own.values.contains(where: { $0.kind == .view })
      else { continue }
      let shapes = TreeShapes(tree, TreeCheck.taken(own, in: tree))
      for (function, role) in own where role.kind == .view {
        answers[role.name] = shapes.answer(ofView: role.name, function)
      }
    }
    return answers
  }

  /// The gatekeepers whose passages are taken and never given back.
  private var gatekeepers: [Finding] {
    text.flow.gatekeepers.filter { gatekeeper in
      gatekeeper.isYesNo && gatekeeper.entries.values.contains { $0.attempt != nil }
        && !gatekeeper.entries.values.contains { $0.reset != nil }
    }.map { gatekeeper in
      Finding(
        .neverReset, at: gatekeeper.place,
        "\(gatekeeper.title) is never reset: after its first passage, it refuses all others")
    }
  }

  /// The actions with the name of a function of Lua, or of the state at the prompt.
  private var luaNames: [Finding] {
    text.flow.actions.filter {
      LibraryWords.base.contains($0.name) || $0.name == "s"
    }.map { action in
      let (name, other) = (action.name, action.name == "s" ? "the state" : "a function of Lua")
      return Finding(
        .luaName, at: action.place,
        "action \(name) has the name of \(other); at the prompt, \(name) { ... } dispatches the action"
      )
    }
  }

  private var views: [Finding] {
    guard let viewsReadOutside else { return [] }
    var read = viewsReadOutside
    for source in text.sources {
      for access in source.accesses where access.root == "view" && access.use == .read {
        if let name = access.firstField { read.insert(name) }
      }
    }
    return text.flow.views.map(\.function).filter { !read.contains($0.name) }.map {
      Finding(
        .unreadView, at: $0.place,
        "view \($0.name) is read by no effect, factory or scenario here; only a host can read it")
    }
  }

  private func fields(_ use: StateUse, _ lines: DeclarationLines) -> [Finding] {
    guard var read = use.read else { return [] }
    // A machine of records reads the field of its records.
    read.formUnion(text.flow.machines.compactMap { $0.records?.path.first })
    return text.flow.fields.filter { !read.contains($0.name) }.map {
      Finding(
        .unreadField, at: lines.place(of: [.field($0.name)], in: "state", at: $0.place),
        "state.\($0.name) is read by no rule, reducer, view or invariant")
    }
  }
}

/// A check for locals of a file that a function changes, although they are not part of the state.
private struct ChangedLocals {
  let text: FlowText

  var findings: [Finding] {
    let ids = text.functions(beside: text.stateFunctions)
    let functions = Dictionary(grouping: ids, by: \.source).mapValues { Set($0.map(\.function)) }
    return text.sources.enumerated().flatMap { index, source in
      var declared: [Int: Set<String>] = [:]
      return source.accesses.filter { $0.use == .written && $0.steps.isEmpty }
        .compactMap { check($0, in: source, functions[index] ?? [], &declared) }
    }
  }

  private func check(
    _ access: LuaAccess, in source: LuaSource, _ functions: Set<Int>,
    _ declared: inout [Int: Set<String>]
  ) -> Finding? {
    let around = source.functions(around: access)
    guard around.contains(where: functions.contains), source.localNames.contains(access.root),
      !isOwn(access, in: source, around, &declared)
    else { return nil }
    return Finding(
      .changedLocal, at: SourcePlace(file: source.name, line: access.line),
      "\(access.root) is a local of the file, and is changed here: no rollback, replay or "
        + "snapshot restores it; store it in the state")
  }

  /// Returns true if one of the enclosing functions declares the name.
  private func isOwn(
    _ access: LuaAccess, in source: LuaSource, _ around: [Int], _ declared: inout [Int: Set<String>]
  ) -> Bool {
    for index in around {
      let function = source.functions[index]
      if function.parameters.contains(access.root) { return true }
      let names = declared[index] ?? declaredNames(source.tokens[function.tokens])
      declared[index] = names
      if names.contains(access.root) { return true }
    }
    return false
  }

  private func declaredNames(_ tokens: ArraySlice<LuaToken>) -> Set<String> {
    var names: Set<String> = []
    for index in tokens.indices
    where tokens[index].isKeyword("local") || tokens[index].isKeyword("for") {
      let list = tokens[(index + 1)...].prefix {
        $0.kind == .name || $0.isSymbol(",") || $0.isSymbol("<") || $0.isSymbol(">")
          || $0.isKeyword("function")
      }
      names.formUnion(list.filter { $0.kind == .name }.map(\.text))
    }
    return names
  }
}
