import FlowLanguage

/// The fields of the state that a flow's text reads and writes.
///
/// Fields are distinguished by name only: a `name` that is read anywhere the state may be available counts as read. If
/// a function does something with the whole state that the text does not show (`pairs(s)`, `return s`, `s[name]`),
/// nothing is known about any field.
struct StateUse {
  /// The names that are read, or nil if the whole state is passed on.
  private(set) var read: Set<String>? = []
  /// The names that are assigned something other than nil, or nil if any may be.
  private(set) var written: Set<String>? = []

  private let text: FlowText
  /// For each function that receives the state, the parameters that may be it.
  private var holders: [SourceFunction: Set<Int>] = [:]
  private var functionsByName: [String: [SourceFunction]] = [:]
  /// For each source the tokens of lists that are changed in place.
  private var changedWords: [Set<Int>] = []
  private let direct = DirectWrites()
  private static let changers: Set<String> = ["insert", "remove", "sort", "move"]

  init(_ text: FlowText) {
    self.text = text
    for (source, each) in text.sources.enumerated() {
      for (index, function) in each.functions.enumerated() {
        if let name = function.name {
          functionsByName[name, default: []].append(SourceFunction(source: source, function: index))
        }
      }
    }
    changedWords = text.sources.map { StateUse.changedWords(of: $0) }
    for id in text.functions(beside: text.stateFunctions) { holders[id] = [0] }
    followCalls()
    readFields()
  }

  /// Returns the fields that a function itself reads; nil if the text does not show them.
  func fieldsRead(by function: FlowFunction) -> Set<String>? {
    guard let ids = text.functions(at: function.place), ids.count == 1, let id = ids.first else {
      return nil
    }
    var fields: Set<String> = []
    for access in text.sources[id.source].accesses(in: id.function)
    where isState(access, in: id.source) {
      guard let field = access.firstField else { return nil }
      fields.insert(field)
    }
    return fields
  }

  /// Returns the fields that a function writes, by itself and through the functions to which it passes the state.
  ///
  /// Nil is among the names if the text does not show which field it is.
  func fieldsWritten(by function: FlowFunction) -> Set<String?> {
    guard var waiting = text.functions(at: function.place) else { return [nil] }
    var fields: Set<String?> = []
    var seen: Set<SourceFunction> = []
    while let id = waiting.popLast() {
      guard seen.insert(id).inserted else { continue }
      let own = writes(of: id)
      fields.formUnion(own.fields)
      waiting += own.callees
    }
    return fields
  }

  /// Returns the fields that a function itself writes, and the functions to which it passes the state; computed once.
  private func writes(of id: SourceFunction) -> DirectWrites.Entry {
    if let known = direct.entries[id] { return known }
    let source = text.sources[id.source]
    var entry = DirectWrites.Entry()
    for access in source.accesses(in: id.function) {
      if isState(access, in: id.source) {
        let isChanged = access.use != .read || isChanged(access, in: id.source)
        if isChanged || access.steps.first == .computed { entry.fields.insert(access.firstField) }
      }
      let isHandedOn = (source.arguments(of: access) ?? []).contains { argument in
        source.access(of: argument).map { isState($0, in: id.source) } ?? false
      }
      if isHandedOn, access.use == .read { entry.callees.formUnion(callees(of: access) ?? []) }
    }
    direct.entries[id] = entry
    return entry
  }

  private func isChanged(_ access: LuaAccess, in source: Int) -> Bool {
    access.tokens.contains(where: changedWords[source].contains)
  }

  /// Returns true if the root of the access is a parameter that may be the state.
  private func isState(_ access: LuaAccess, in source: Int) -> Bool {
    for index in text.sources[source].functions(around: access) {
      let parameters = text.sources[source].functions[index].parameters
      guard let position = parameters.firstIndex(of: access.root) else { continue }
      return holders[SourceFunction(source: source, function: index)]?.contains(position) == true
    }
    return false
  }

  // MARK: Following the state into helper functions

  private mutating func followCalls() {
    var waiting = Array(holders.keys)
    while let id = waiting.popLast() {
      for call in text.sources[id.source].accesses(in: id.function) {
        follow(call, in: id.source, &waiting)
      }
    }
  }

  private mutating func follow(
    _ call: LuaAccess, in index: Int, _ waiting: inout [SourceFunction]
  ) {
    guard call.use == .read, let callees = callees(of: call) else { return }
    let source = text.sources[index]
    for (position, argument) in (source.arguments(of: call) ?? []).enumerated()
    where argument.count == 1 {
      guard let given = source.access(of: argument), isState(given, in: index) else { continue }
      for callee in callees where holders[callee, default: []].insert(position).inserted {
        waiting.append(callee)
      }
    }
  }

  /// Returns the functions of the flow that a call may mean, by the last part of its name.
  private func callees(of call: LuaAccess) -> [SourceFunction]? {
    switch call.steps.last {
    case nil: functionsByName[call.root]
    case .field(let name)?: functionsByName[name]
    default: nil
    }
  }

  // MARK: Reading and writing

  private mutating func readFields() {
    let outside = OutsideTheState(text)
    for (index, source) in text.sources.enumerated() {
      let arguments = knownArguments(of: source)
      for access in source.accesses where access.use != .defined {
        if isState(access, in: index) {
          follow(access, isArgument: arguments.contains(access.tokens))
        }
        noteWriting(access, isChanged: isChanged(access, in: index))
        if !outside.contains(access, in: source) { noteReading(access) }
      }
    }
  }

  /// Returns the tokens of arguments of calls whose function the text shows.
  private func knownArguments(of source: LuaSource) -> Set<Range<Int>> {
    Set(
      source.accesses.filter { $0.use == .read && callees(of: $0) != nil }
        .flatMap { source.arguments(of: $0) ?? [] })
  }

  /// Returns the tokens of lists that are changed in place: `table.insert(s.calls, 1)`.
  private static func changedWords(of source: LuaSource) -> Set<Int> {
    var words: Set<Int> = []
    for access in source.accesses
    where access.root == "table" && changers.contains(access.firstField ?? "") {
      if let list = source.arguments(of: access)?.first { words.formUnion(list) }
    }
    return words
  }

  private mutating func follow(_ access: LuaAccess, isArgument: Bool) {
    switch access.steps.first {
    case .field?: return
    case nil where isArgument: return
    case .computed? where access.use != .read: written = nil
    default: break
    }
    read = nil
  }

  private mutating func noteWriting(_ access: LuaAccess, isChanged: Bool) {
    if access.use == .written || isChanged { written?.formUnion(access.fields) }
  }

  private mutating func noteReading(_ access: LuaAccess) {
    read?.formUnion(access.use == .read ? access.fields[...] : access.fields.dropLast())
  }
}

/// A cache of the fields that functions write by themselves.
private final class DirectWrites {
  struct Entry {
    var fields: Set<String?> = []
    var callees: Set<SourceFunction> = []
  }

  var entries: [SourceFunction: Entry] = [:]
}

/// The accesses that cannot be to the state.
///
/// They are the flow language's own words, payloads, and everything in an effect, which receives views only.
private struct OutsideTheState {
  private static let words: Set<String> = [
    "state", "action", "reduce", "gate", "view", "invariant", "gatekeeper", "machine", "scope",
    "effect", "internal", "migrate", "dispatch", "may",
  ]

  private var payloads: [String: [Int: String]] = [:]
  private var effects: [String: Set<Int>] = [:]

  init(_ text: FlowText) {
    for id in text.functions(beside: text.stateFunctions) {
      let source = text.sources[id.source]
      let parameters = source.functions[id.function].parameters
      if parameters.count > 1 { payloads[source.name, default: [:]][id.function] = parameters[1] }
    }
    let ofEffects = (text.flow.effects + text.flow.stateEffects).map(\.function)
    for id in text.functions(beside: ofEffects) {
      effects[text.sources[id.source].name, default: []].insert(id.function)
    }
  }

  func contains(_ access: LuaAccess, in source: LuaSource) -> Bool {
    if OutsideTheState.words.contains(access.root), !source.localNames.contains(access.root) {
      return true
    }
    return source.functions(around: access).contains { function in
      effects[source.name]?.contains(function) == true
        || payloads[source.name]?[function] == access.root
    }
  }
}
