import LuaRuntime

/// A reader that turns the prelude's description of a file into a `Flow`, and reports inconsistencies.
struct DeclarationReader {
  package let file: String
  package let described: Value
  package var faults: [Diagnostic] = []
  /// The maximum nesting depth of scopes below root.
  static let deepestScope = 100
  /// The maximum number of rules and effects of all actions together; one for several actions counts for each.
  static let mostFollowers = 100_000
  private(set) var followers = 0

  /// The fields of the state that have types.
  private(set) var declaredTypes: [StateTypes.Declared] = []
  /// The error that ended the file; nil if there was none.
  package let problem: Diagnostic?
  /// The lines of the parts of declarations.
  package let lines: DeclarationLines

  package mutating func read() -> Flow {
    faults = entries("faults").map {
      let place = placeOfFault($0)
      return Diagnostic(
        file: place.file, line: place.line, message: $0["message"]?.stringValue ?? "")
    }
    if let problem { faults.append(problem) }
    var flow = Flow(file: file, actions: [], indexOfAction: [:], views: [], invariants: [])
    for entry in entries("actions") {
      guard let name = entry["name"]?.stringValue else { continue }
      flow.indexOfAction[name] = flow.actions.count
      flow.actions.append(
        Action(
          name: name, place: place(entry),
          payload: PayloadType(describing: entry["fields"] ?? .nil),
          isInternal: entry["internal"] == .boolean(true)))
    }
    readReducers(into: &flow)
    readGates(into: &flow)
    readMachines(into: &flow)
    readGatekeepers(into: &flow)
    readScopes(into: &flow)
    readEffects(into: &flow)
    readMigrations(into: &flow)
    flow.fields = entries("fields").compactMap { entry in
      entry["name"]?.stringValue.map {
        StateField(name: $0, place: place(entry), shape: StateShape(entry["shape"]))
      }
    }.sorted { $0.name < $1.name }
    declaredTypes = readStateTypes()
    let places = Dictionary(
      flow.fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    for declared in declaredTypes {
      guard let index = declared.path.first.flatMap({ places[$0] }) else { continue }
      flow.fields[index].take(declared.type, at: declared.path.dropFirst())
    }
    checkFields(of: flow)
    flow.views = functions("views").map { FlowReader(function: $0, number: -1) }
    flow.invariants = functions("invariants").map { FlowReader(function: $0, number: -1) }
    if faults.isEmpty && flow.actions.isEmpty && described["has_state"] == .boolean(false) {
      faults.append(
        Diagnostic(
          file: file, line: 0,
          message: "this flow declares nothing; begin with state { ... } and action.NAME {}"))
    }
    return flow
  }

  private mutating func readReducers(into flow: inout Flow) {
    for function in functions("reducers") {
      let title = Names.dotted("reduce", function.name)
      if let index = find(function.name, for: title, at: function.place, in: flow) {
        flow.actions[index].reducer = function
      }
    }
  }

  /// Reads gate rules in the order of declaration, and adds each to its actions.
  private mutating func readGates(into flow: inout Flow) {
    for (entry, function) in zip(entries("gates"), functions("gates")) {
      let shared = entry["named"] == .boolean(true)
      let rule = GateRule(function: function, isShared: shared)
      if entry["every"] == .boolean(true) {
        guard canFollow(flow.actions.count, rule.title, at: function.place) else { return }
        for index in flow.actions.indices { flow.actions[index].rules.append(rule) }
        continue
      }
      let title = shared ? "gate \(function.name)" : Names.dotted("gate", function.name)
      let names =
        shared ? (entry["actions"]?.listValue ?? []).compactMap(\.stringValue) : [function.name]
      guard canFollow(names.count, title, at: function.place) else { return }
      var seen: Set<String> = []
      for name in names where seen.insert(name).inserted {
        if let index = find(name, for: title, at: function.place, in: flow) {
          flow.actions[index].rules.append(rule)
        }
      }
    }
  }

  /// Adds to the number of rules and effects of all actions; reports a fault and returns false if there are too
  /// many.
  ///
  /// Without a limit the number could be that of rules and effects times that of actions.
  mutating func canFollow(_ count: Int, _ title: String, at place: SourcePlace) -> Bool {
    followers += count
    if followers <= DeclarationReader.mostFollowers { return true }
    fault(
      place,
      "\(title): all actions together have more than \(DeclarationReader.mostFollowers) rules "
        + "and effects; a rule or effect of several actions counts once for each")
    return false
  }

  /// Returns the place of a fault, which is inside a declaration's table if the fault names a path there.
  private func placeOfFault(_ entry: Value) -> SourcePlace {
    let place = place(entry)
    guard let inside = entry["inside"], let word = inside["word"]?.stringValue else { return place }
    let path = (inside["path"]?.listValue ?? []).compactMap { StatePath.Key($0) }
    if word == "effect", let name = inside["name"]?.stringValue, case .field(let key)? = path.first
    {
      return lines.place(of: key, inEffect: name, function: place)
    }
    return lines.place(of: path, in: word, named: inside["name"]?.stringValue, at: place)
  }

  /// Returns the index of the action of that name; reports a fault at the given place if there is none.
  package mutating func find(
    _ name: String, for title: String, at place: SourcePlace, in flow: Flow
  ) -> Int? {
    if let index = flow.indexOfAction[name] { return index }
    fault(
      place,
      "\(title): there is no action \(name)"
        + Names.suggestion(for: name, among: flow.indexOfAction.keys))
    return nil
  }

  package mutating func fault(_ place: SourcePlace, _ message: String) {
    faults.append(Diagnostic(file: place.file, line: place.line, message: message))
  }

  package func entries(_ kind: String) -> [Value] { described[kind]?.listValue ?? [] }

  package func place(_ entry: Value) -> SourcePlace {
    SourcePlace(file: entry["file"]?.stringValue ?? file, line: entry["line"]?.integerValue ?? 0)
  }

  package func functions(_ kind: String) -> [FlowFunction] {
    entries(kind).compactMap { entry in
      guard let name = entry["name"]?.stringValue, let reference = entry["ref"]?.integerValue else {
        return nil
      }
      return FlowFunction(
        name: name, place: place(entry), lastLine: entry["last_line"]?.integerValue ?? 0,
        parameters: entry["parameters"]?.integerValue ?? 0,
        reference: LuaReference(number: reference))
    }
  }
}
