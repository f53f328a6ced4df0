import LuaRuntime
import StateBlocks

/// What scripts ask the host: time and chance, the queue, gatekeepers, scopes.
extension Engine {
  func provideHostFunctions() {
    vm.provideLibrary { [unowned self] function, arguments in
      switch function {
      case .scopeCall: try callCapability(arguments)
      default: .values(try answer(function, arguments))
      }
    }
  }

  private func answer(_ function: LibraryFunction, _ arguments: [Value]) throws -> [Value] {
    switch function {
    case .now, .random: answerOfTime(function, arguments)
    case .enqueue, .schedule, .cancel, .may: try answerOfQueue(function, arguments)
    case .keeperMayPass, .keeperHolder: try answerOfKeeper(function, arguments)
    case .scopeKey, .scopeName, .scopeParent, .scopeCheck, .scopeLevels, .scopeHas, .scopeCall,
      .scopeUnlock, .scopeClose, .scopeLeave, .scopeDefer, .scopeMissing:
      try answerOfScope(function, arguments)
    case .print, .loadModule: []
    }
  }

  // MARK: Time and chance

  private func answerOfTime(_ function: LibraryFunction, _ arguments: [Value]) -> [Value] {
    if function == .now {
      hasReadClock = true
      return [.number(EngineTime.seconds(time))]
    }
    let inEffect = effects.current != nil
    guard arguments.count == 2, let low = arguments[0].integerValue,
      let high = arguments[1].integerValue
    else { return [.number(drawUnit(inEffect: inEffect))] }
    return [.integer(drawInteger(low, high, inEffect: inEffect))]
  }

  // MARK: The queue

  private func answerOfQueue(_ function: LibraryFunction, _ arguments: [Value]) throws -> [Value] {
    switch function {
    case .enqueue: try enqueue(arguments)
    case .schedule: try schedule(arguments)
    case .cancel: return [.integer(try cancel(arguments.first?.stringValue ?? ""))]
    default: return try answerOfMay(arguments)
    }
    return []
  }

  private func enqueue(_ arguments: [Value]) throws {
    let queued = try checked(arguments)
    guard queue.count < limits.queue else {
      throw ScopeRefusal("the queue is full (\(limits.queue) actions)")
    }
    queue.add(.action(queued), owner: .nobody)
  }

  private func schedule(_ arguments: [Value]) throws {
    let queued = try checked(Array(arguments.dropFirst()))
    guard timers.count < limits.timers else {
      throw ScopeRefusal("\(limits.timers) timers are pending already")
    }
    let instance = effects.current?.instance ?? 1
    add(queued, in: arguments.first?.doubleValue ?? 0, owner: .instance(instance))
  }

  private func cancel(_ name: String) throws -> Int {
    guard flow.action(named: name) != nil else {
      throw ScopeRefusal(
        "there is no action \(name)" + Names.suggestion(for: name, among: flow.actionNames))
    }
    return timers.cancel(name) + queue.cancel(name)
  }

  private func answerOfMay(_ arguments: [Value]) throws -> [Value] {
    let payload = arguments.count > 1 ? arguments[1] : [:]
    return switch try mayMeanwhile(arguments.first?.stringValue ?? "", payload) {
    case .granted: [true]
    case .refused(let refusal): [false, .string(refusal.description), .string(refusal.by)]
    case .failed(let failure): [false, .string(failure.summary), .string(failure.kind.rawValue)]
    }
  }

  /// Whether the action may pass, as a script asks: the payload under way stays what it is.
  private func mayMeanwhile(_ name: String, _ payload: Value) throws(ScriptError) -> Permission {
    let kept = try vm.keepPayload()
    defer { vm.putPayloadBack(kept) }
    return may(name, payload)
  }

  /// Name and payload are checked at the call.
  private func checked(_ arguments: [Value]) throws -> QueuedAction {
    let name = arguments.first?.stringValue ?? ""
    do {
      let payload = try check(name, arguments.count > 1 ? arguments[1] : [:])
      let cause = effects.current?.cause ?? Cause(revision: revision)
      return QueuedAction(name: name, payload: payload ?? [:], cause: cause)
    } catch {
      if case .failed(let failure) = error { throw ScopeRefusal(failure.message) }
      throw error
    }
  }

  // MARK: Gatekeepers

  private func answerOfKeeper(_ function: LibraryFunction, _ arguments: [Value]) throws -> [Value] {
    let (option, _) = try option(arguments)
    if function == .keeperMayPass { return [.boolean(keepers[option] == nil)] }
    guard let passage = keepers[option] else { return [.nil] }
    hasReadClock = true
    return [
      .string(passage.action), .integer(passage.revision),
      .number(EngineTime.seconds(passage.time)),
    ]
  }

  private func option(_ arguments: [Value]) throws -> (KeeperOption, KeeperPolicy) {
    let name = arguments.first?.stringValue ?? ""
    guard let index = flow.keepers.firstIndex(where: { $0.name == name }) else {
      throw ScopeRefusal("there is no gatekeeper \(name)")
    }
    let keeper = flow.keepers[index]
    if keeper.isYesNo { return (KeeperOption(keeper: index, option: KeeperPolicy.passage), keeper) }
    guard arguments.count > 1, let option = arguments[1].stringValue else {
      throw ScopeRefusal(
        "\(keeper.title) has options: say which, such as \"\(keeper.options.first ?? "name")\"")
    }
    if keeper.isClosed, !keeper.options.contains(option) {
      throw ScopeRefusal(
        "\(keeper.title) has no option \"\(option)\""
          + Names.suggestion(for: option, among: keeper.options))
    }
    return (KeeperOption(keeper: index, option: option), keeper)
  }

  /// What every gatekeeper holds, by name: options, or `passage` for yes/no.
  package func describeKeepers() -> Value {
    var described: [String: Value] = [:]
    for (index, keeper) in flow.keepers.enumerated() {
      described[keeper.name] = .list(keepers.options(of: index).map { .string($0) })
    }
    return .record(described)
  }

  // MARK: Scopes

  private func answerOfScope(_ function: LibraryFunction, _ arguments: [Value]) throws -> [Value] {
    let number = number(arguments)
    switch function {
    case .scopeKey: return [try keyOfScope(number)]
    case .scopeName: return [.string(scopes.name(of: number))]
    case .scopeParent: return scopes[number]?.parent.map { [.integer($0)] } ?? [.nil]
    case .scopeCheck: _ = try scopes.open(number)
    case .scopeLevels: return [try levels(number)]
    case .scopeHas:
      let body = capabilities.body(arguments.last?.stringValue ?? "", in: scopes.name(of: number))
      return [.boolean(body != nil)]
    case .scopeUnlock: return [.integer(try unlock(arguments))]
    case .scopeClose: try closeByHand(number, isLeaving: false)
    case .scopeLeave: try closeByHand(number, isLeaving: true)
    case .scopeDefer: try deferCleanUp(number, arguments.last?.integerValue ?? 0)
    case .scopeMissing:
      let message = arguments.first?.stringValue ?? ""
      report(.missingCapability(message))
      throw ScopeRefusal(message)
    default: break
    }
    return []
  }

  private func keyOfScope(_ number: Int) throws -> Value {
    let instance = try scopes.open(number)
    guard instance.hostKey == nil else {
      throw ScopeRefusal("the key of scope \(scopes.name(of: instance.number)) is the host's")
    }
    return instance.key
  }

  private func number(_ arguments: [Value]) -> Int { arguments.first?.integerValue ?? 0 }

  /// The instance and its parents, innermost first: where a name is looked up.
  private func levels(_ number: Int) throws -> Value {
    var levels: [Value] = []
    var at: Int? = number
    while let here = at {
      let instance = try scopes.open(here)
      let declaration = flow.scopes[instance.scope]
      levels.append([
        "number": .integer(here), "name": .string(declaration.name),
        "private": .record(
          Dictionary(uniqueKeysWithValues: declaration.privateNames.map { ($0, true) })),
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
          + Names.suggestion(for: name, among: flow.scopes.map(\.name)))
    }
    guard flow.scopes[scope].parent == flow.scopes[parent.scope].name else {
      throw ScopeRefusal(
        "scope \(name) is unlocked from its parent, scope \(flow.scopes[scope].parent ?? "none"), "
          + "not from scope \(flow.scopes[parent.scope].name)")
    }
    let byHand = arguments.count > 2 && arguments[2] == true
    if !byHand {
      guard let current = scopes.current[scope], scopes[current]?.parent == parent.number else {
        throw ScopeRefusal("scope \(name) is locked: it needs its key")
      }
      return current
    }
    guard !flow.scopes[scope].isHosts else {
      throw ScopeRefusal("scope \(name) is opened by the host alone")
    }
    let key = arguments.count > 3 ? arguments[3] : .nil
    guard key.isTruthy else { throw ScopeRefusal("scope \(name) is locked: it needs its key") }
    return try scopes.unlock(
      scope, in: parent.number, key: key, isByHand: true, holder: effects.current?.number)
  }

  private func closeByHand(_ number: Int, isLeaving: Bool) throws {
    guard let instance = scopes[number], !instance.block.isClosed else { return }
    guard instance.isByHand else {
      if isLeaving { return }
      if instance.parent == nil { throw ScopeRefusal("scope root is always open") }
      if instance.hostKey != nil {
        throw ScopeRefusal("scope \(scopes.name(of: number)) is closed by the host alone")
      }
      throw ScopeRefusal(
        "scope \(scopes.name(of: number)) is open because the state holds its key; clear its key "
          + "instead")
    }
    close(number, since: "close(), #\(revision)")
  }

  private func deferCleanUp(_ number: Int, _ cleanUp: Int) throws {
    let instance = try scopes.open(number)
    let runner = CleanUpRunner(engine: self)
    try instance.block.defer { runner.run(cleanUp, of: number) }
  }

  fileprivate func runCleanUp(_ cleanUp: Int, of number: Int) {
    do {
      try vm.cleanUp(cleanUp, budget: budget)
    } catch {
      report(.cleanUp(scope: scopes.name(of: number), error))
    }
  }

  private func callCapability(_ arguments: [Value]) throws -> HostAnswer {
    let instance = try scopes.open(number(arguments))
    let scope = flow.scopes[instance.scope].name
    let name = arguments.count > 1 ? arguments[1].stringValue ?? "" : ""
    let given = Array(arguments.dropFirst(2))
    let key = instance.hostKey?.value ?? ()
    do {
      switch capabilities.body(name, in: scope) {
      case .now(let body)?: return .values([try body(key, given)])
      case .later(let body)?:
        return .wait(["capability", .integer(startCall({ try await body(key, $0) }, given, name))])
      case nil: throw ScopeRefusal("scope \(scope) has no \(name)")
      }
    } catch let refusal as ScopeRefusal {
      throw refusal
    } catch {
      throw ScopeRefusal("\(name): \(error)")
    }
  }
}

/// Lets a block's clean-up, which must be Sendable, reach the engine.
private final class CleanUpRunner: @unchecked Sendable {
  // Sound: only the engine closes its scopes (ScopeTree is its own), and it does so on the thread
  // that owns it, from inside `ScopeInstance.close`, which runs clean-ups synchronously. When the
  // engine goes, its scopes go with it and there is nobody left to clean up for.
  private weak var engine: Engine?

  init(engine: Engine) { self.engine = engine }

  func run(_ cleanUp: Int, of number: Int) { engine?.runCleanUp(cleanUp, of: number) }
}
