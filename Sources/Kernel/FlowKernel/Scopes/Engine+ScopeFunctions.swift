import LuaRuntime

/// Answers the calls of scripts to scopes: capabilities, keys, opening and closing.
extension Engine {
  func answerOfScope(_ function: LibraryFunction, _ arguments: [Value]) throws -> [Value] {
    let number = number(arguments)
    vm.spend(flow.scopes.count)
    switch function {
    case .scopeKey: return [try keyOfScope(number)]
    case .scopeName: return [.string(scopes.name(of: number))]
    case .scopeParent: return scopes[number]?.parent.map { [.integer($0)] } ?? [.nil]
    case .scopeCheck: _ = try scopes.open(number)
    case .scopeLevels: return [try levels(number)]
    case .scopeHas:
      // Only a durable effect needs to know if a stub was there before.
      if arguments.count > 2, arguments[2] == true { return [true] }
      let name = arguments.count > 1 ? arguments[1].stringValue ?? "" : ""
      let scope = scopes.name(of: number)
      let isRecorded = calls.recorded?.has("\(scope).\(name)") == true
      let isThere = isHeld(effects.current) || calls.capabilities.body(name, in: scope) != nil
      if isRecorded || isThere { return [true] }
      guard arguments.count > 3, arguments[3] == true, let missed = missedAtCall else {
        return [false]
      }
      // The first call of each is reported with its place, which only Lua knows.
      return [true, .boolean(missed.add("\(scope).\(name)"))]
    case .scopeUnlock: return [.integer(try unlock(arguments))]
    case .scopeClose: try closeByHand(number, isLeaving: false)
    case .scopeLeave: try closeByHand(number, isLeaving: true)
    case .scopeMissing:
      let message = arguments.first?.stringValue ?? ""
      report(.missingCapability(message))
      // A durable effect waits for what is missing.
      if arguments.count > 1, arguments[1] == true { return [] }
      throw ScopeRefusal(message)
    default: break
    }
    return []
  }

  private func keyOfScope(_ number: Int) throws -> Value {
    let instance = try scopes.open(number)
    guard instance.hostKey == nil else {
      throw ScopeRefusal("the key of scope \(scopes.name(of: instance.number)) belongs to the host")
    }
    return instance.key
  }

  private func number(_ arguments: [Value]) -> Int { arguments.first?.integerValue ?? 0 }

  /// Returns the instance and its parents, innermost first, in which a name is looked up.
  private func levels(_ number: Int) throws -> Value {
    var levels: [Value] = []
    var at: Int? = number
    while let here = at {
      let instance = try scopes.open(here)
      let declaration = instance.scope.map { flow.scopes[$0] }
      levels.append([
        "number": .integer(here), "name": .string(instance.name),
        "private": .record(
          Dictionary(
            uniqueKeysWithValues: (declaration?.privateNames ?? []).map { ($0, true) })),
      ])
      at = instance.parent
    }
    return .list(levels)
  }

  private func unlock(_ arguments: [Value]) throws -> Int {
    let parent = try scopes.open(number(arguments))
    let name = arguments.count > 1 ? arguments[1].stringValue ?? "" : ""
    guard let scope = scopes.index(of: name) else {
      throw ScopeRefusal(
        "there is no scope \(name)"
          + suggestion(for: name, among: flow.scopes.map(\.name)))
    }
    guard flow.scopes[scope].parent == parent.name else {
      throw ScopeRefusal(
        "scope \(name) is unlocked from its parent, scope \(flow.scopes[scope].parent ?? "none"), "
          + "not from scope \(parent.name)")
    }
    let byHand = arguments.count > 2 && arguments[2] == true
    if !byHand {
      let scopeInstance = scopes.scopeInstance(of: scope, for: effects.current?.cause)
      guard let current = scopeInstance, scopes[current]?.parent == parent.number else {
        throw ScopeRefusal("scope \(name) is locked: it needs its key", isRaised: true)
      }
      return current
    }
    guard !flow.scopes[scope].isHosts else {
      throw ScopeRefusal("only the host opens scope \(name)")
    }
    let key = arguments.count > 3 ? arguments[3] : .nil
    try requireReserve(for: key.size, of: "the key of scope \(name)")
    guard key.isTruthy else {
      throw ScopeRefusal("scope \(name) is locked: it needs its key", isRaised: true)
    }
    vm.spend(Engine.instructionsPerInstance)
    return try scopes.unlock(
      scope, in: parent.number, key: key, isByHand: true, holder: effects.current?.number,
      numbering: &caseState.lastScopeInstance)
  }

  private func closeByHand(_ number: Int, isLeaving: Bool) throws {
    guard let instance = scopes[number], !instance.block.isClosed else { return }
    guard instance.isByHand else {
      if isLeaving { return }
      if instance.parent == nil { throw ScopeRefusal("scope root is always open") }
      if instance.hostKey != nil {
        throw ScopeRefusal("only the host closes scope \(scopes.name(of: number))")
      }
      throw ScopeRefusal(
        "scope \(scopes.name(of: number)) is open because the state holds its key; clear its key "
          + "instead")
    }
    close(number, since: "close(), #\(revision)")
  }

  func deferCleanUp(_ arguments: [Value], in vm: LuaVM) throws -> [Value] {
    let number = number(arguments)
    // Only the name: holding the instance would copy its list of clean-ups when it grows.
    let name = try scopes.open(number).name
    let cleanUp = CleanUpRunner(
      engine: self, vm: vm, cleanUp: arguments.last?.integerValue ?? 0, scope: name)
    try scopes.add(cleanUp, to: number)
    return []
  }

  package func run(_ cleanUp: Int, in vm: LuaVM, of scope: String) {
    do {
      try vm.cleanUp(cleanUp, budget: budget)
    } catch {
      report(.cleanUp(scope: scope, error))
    }
  }

  func callCapability(_ arguments: [Value]) throws -> HostAnswer {
    let call = caseState.nextCallNumber()
    // A call that is not made counts, too, as it does in the replay of an effect.
    let id = nextCallID
    let instance = try scopes.open(number(arguments))
    let name = arguments.count > 1 ? arguments[1].stringValue ?? "" : ""
    let given = Array(arguments.dropFirst(2))
    let capability = "\(instance.name).\(name)"
    if isHeld(effects.current) { return .wait(["capability", .integer(call)]) }
    if calls.recorded != nil {
      let answer = try calls.recorded?.answer(to: call, capability, given)
      transcribe(call, capability, given, answer)
      if let answer { return try answer.get() }
      prepareReplayed(call, name, in: instance, id, given)
      return .wait(["capability", .integer(call)])
    }
    let key = instance.hostKey?.value ?? ()
    switch body(of: name, in: instance.name) {
    case nil:
      // An open task waits until somebody provides its capability again.
      guard let known = openTask(of: id) else {
        throw ScopeRefusal("scope \(instance.name) has no \(name)")
      }
      return wait(for: known, call, capability, given)
    case .later(let body)?:
      transcribe(call, capability, given, nil)
      calls.prepared = PreparedCall(
        number: call, capability: name,
        work: .function {
          try await CallID.$currentWork.withValue(id) { try await body(key, given) }
        })
      return .wait(["capability", .integer(call)])
    case .task(let task)?:
      let opened = try openTask(of: id) ?? openTask(of: task, name, in: instance, id, given)
      return wait(for: opened, call, capability, given)
    case .now(let body)?:
      try keepBeforeCall(of: name)
      let answer: Transcript.Answer
      do {
        answer = .value(try CallID.$currentWork.withValue(id) { try body(key, given) })
      } catch {
        answer = .error(error is ScopeRefusal ? "\(error)" : "\(name): \(error)")
      }
      transcribe(call, capability, given, answer)
      return try answer.get()
    }
  }

  /// Prepares a call that waits for a task.
  private func wait(
    for task: OpenTask, _ call: Int, _ capability: String, _ arguments: [Value]
  ) -> HostAnswer {
    transcribe(call, capability, arguments, nil)
    calls.prepared = PreparedCall(number: call, capability: task.name, work: .task(task))
    return .wait(["capability", .integer(call)])
  }

  /// The identity of the next call of the effect under way.
  private var nextCallID: CallID {
    let running = effects.current
    let live = calls.capabilities.live
    return CallID(
      journal: caseWriter?.identity?.id ?? live?.id, flow: flow.name,
      case: caseWriter?.id ?? live?.caseID ?? settings.hostName, effect: running?.root.number ?? 0,
      position: running?.position.next() ?? "\(caseState.lastCall)")
  }

  private func transcribe(
    _ call: Int, _ capability: String, _ arguments: [Value], _ answer: Transcript.Answer?
  ) {
    transcribe(
      .call(number: call, capability: capability, arguments: arguments, answer: answer))
  }
}

extension Transcript.Answer {
  fileprivate func get() throws(ScopeRefusal) -> HostAnswer {
    switch self {
    case .value(let value): .values([value])
    case .error(let message): throw ScopeRefusal(message)
    case .failure(let failure): throw ScopeRefusal(failure.message)
    }
  }
}
