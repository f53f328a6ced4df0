import LuaRuntime

/// Records the questions and answers of durable effects, so that they get the same answers when they run again.
extension Engine {
  // MARK: Questions

  /// Answers a question of a script, or repeats the answer that is recorded for a durable effect.
  ///
  /// - Parameter views: the names of the views of the script's flow version, by number.
  package func answer(
    _ function: LibraryFunction, _ arguments: [Value], views: [String],
    _ body: () throws -> HostAnswer
  ) throws -> HostAnswer {
    guard let running = effects.current, let log = running.root.log, !log.isAnswering else {
      return try body()
    }
    if running.isInsideStub {
      guard let stub = running.stub, let question = question(function, arguments, views),
        question.kind != .call
      else { return try body() }
      return try answer(question, of: stub, body)
    }
    if let deviation = log.deviation { throw ScopeRefusal(deviation) }
    switch function {
    case .scopeHas: return .values(try has(arguments, log, body))
    case .revised:
      return .values([.boolean(try isRevised(arguments.first?.stringValue ?? "", log))])
    default: break
    }
    guard let question = question(function, arguments, views) else { return try body() }
    if question.kind == .call { return try call(question, arguments, running, log, body) }
    if let next = log.takeNext() {
      guard case .answered(question, let told) = next else {
        throw deviation("it asks for \(text(of: question))", next)
      }
      return .values(try told.get())
    }
    try expectMore(log)
    return try record(in: log, { .answered(question, $0) }, body)
  }

  /// Answers a question and records the answer.
  func record(
    in log: EffectLog, _ item: (Result<[Value], ScopeRefusal>) -> EffectLog.Item,
    _ body: () throws -> HostAnswer
  ) throws -> HostAnswer {
    log.isAnswering = true
    defer { log.isAnswering = false }
    do {
      guard case .values(let values) = try body() else { return .values([]) }
      try recordAnswer(item(.success(values)))
      return .values(values)
    } catch let refusal as ScopeRefusal {
      try recordAnswer(item(.failure(refusal)))
      throw refusal
    }
  }

  /// Returns the question that a call asks; nil for one whose answer never changes, and for one that is made anew.
  private func question(
    _ function: LibraryFunction, _ arguments: [Value], _ views: [String]
  ) -> EffectLog.Question? {
    func name(_ index: Int) -> String {
      arguments.indices.contains(index) ? arguments[index].stringValue ?? "" : ""
    }
    func question(
      _ kind: EffectLog.Question.Kind, _ name: String, _ arguments: some Sequence<Value>
    ) -> EffectLog.Question {
      EffectLog.Question(kind, name, arguments) { text(of: $0, kind, name) }
    }
    switch function {
    case .now: return question(.now, "", [Value]())
    case .random: return question(.random, "", arguments)
    case .enqueue: return question(.dispatch, name(0), arguments.dropFirst())
    case .schedule:
      return question(.after, name(1), arguments.prefix(1) + arguments.dropFirst(2))
    case .cancel:
      let isTimer = arguments.first?.integerValue != nil
      return question(.cancel, name(0), isTimer ? arguments[...] : arguments.dropFirst())
    case .may: return question(.may, name(0), arguments.dropFirst())
    case .gatekeeperMayPass: return question(.mayPass, name(0), arguments.dropFirst())
    case .gatekeeperHolder: return question(.holder, name(0), arguments.dropFirst())
    case .view:
      let number = arguments.first?.integerValue ?? -1
      return question(
        .view, views.indices.contains(number) ? views[number] : "\(number)",
        arguments.dropFirst())
    // Scope instances unlocked by hand have other numbers in a replay.
    case .scopeCall:
      let scope = scopes.name(of: arguments.first?.integerValue ?? 0)
      return question(.call, "\(scope).\(name(1))", arguments.dropFirst(2))
    case .scopeHas, .scopeKey, .scopeName, .scopeParent, .scopeCheck, .scopeLevels, .scopeUnlock,
      .scopeClose, .scopeLeave, .scopeDefer, .scopeMissing, .namedState, .misfit, .born, .print,
      .loadModule, .attempt, .by, .document, .enteredBy, .revised:
      return nil
    }
  }

  /// Returns true first if a scope's instance lends a capability; records that none does.
  private func has(
    _ arguments: [Value], _ log: EffectLog, _ body: () throws -> HostAnswer
  ) throws -> [Value] {
    let number = arguments.first?.integerValue ?? 0
    let name =
      "\(scopes.name(of: number)).\(arguments.count > 1 ? arguments[1].stringValue ?? "" : "")"
    func answer() throws -> [Value] {
      guard case .values(let values) = try body() else { return [false] }
      return values
    }
    switch log.next {
    case .missed(name)?:
      _ = log.takeNext()
      return [false]
    case .called(let question)? where question.name == name: return [true]
    // The host may not lend the capability yet; an effect that asks for something else fails at its call.
    case .some:
      let isLent = try answer().first == true
      return [.boolean(isLent || log.isCalledLater(name) || scopes[number]?.parent == nil)]
    case nil:
      try expectMore(log)
      let values = try answer()
      if values.first != true { try recordAnswer(.missed(name)) }
      return values
    }
  }

  /// Returns true if an effect takes the new branch of a change, as it does when it reaches the change for the first
  /// time.
  private func isRevised(_ name: String, _ log: EffectLog) throws(ScopeRefusal) -> Bool {
    if let known = log.revisions[ExactText(name)] { return known }
    var isRevised = log.takeRevision(name)
    if !isRevised, log.next == nil {
      try expectMore(log)
      try recordAnswer(.revised(name))
      isRevised = true
    }
    log.revisions[ExactText(name)] = isRevised
    return isRevised
  }

  // MARK: Calls

  /// The record of a call.
  enum RecordedCall {
    case answered([Value])
    /// The call failed: a host's call with a text, a stub's with any value, which is raised unchanged.
    case failed(ScopeRefusal)
    case raised(Value)
    /// The answer comes after answers to others that were recorded before it.
    case later
    /// The call was not answered, or not made before.
    case unanswered
  }

  /// Returns what is recorded of a call that a function of a durable effect makes, and records a new call.
  func recall(
    _ question: EffectLog.Question, by running: RunningEffects.Running, _ log: EffectLog
  ) throws(ScopeRefusal) -> RecordedCall {
    guard let next = log.takeNext() else {
      try expectMore(log)
      try recordAnswer(.called(question))
      return .unanswered
    }
    guard case .called(question) = next else {
      throw deviation("it asks for \(text(of: question))", next)
    }
    let function = log.function(running.number)
    switch log.next {
    case .answered(question, let told)?:
      _ = log.takeNext()
      return switch told {
      case .success(let values): .answered(values)
      case .failure(let refusal): .failed(refusal)
      }
    case .stubAnswered(function, let isFine, let values)?:
      _ = log.takeNext()
      return isFine ? .answered(values) : .raised(values.first ?? .nil)
    default: return log.isTrial || log.isAnsweredLater(function) ? .later : .unanswered
    }
  }

  /// Calls a capability, unless its answer is recorded.
  private func call(
    _ question: EffectLog.Question, _ arguments: [Value], _ running: RunningEffects.Running,
    _ log: EffectLog, _ body: () throws -> HostAnswer
  ) throws -> HostAnswer {
    let recorded = try recall(question, by: running, log)
    if case .unanswered = recorded {} else { _ = running.position.next() }
    switch recorded {
    case .answered(let values): return .values(values)
    case .failed(let refusal): throw refusal
    case .raised(let value): return .raise(value)
    case .later: return .wait(["told later"])
    case .unanswered where log.isTellingAgain:
      running.postponed = .call(arguments)
      return .wait(["made later"])
    case .unanswered: break
    }
    log.isAnswering = true
    defer { log.isAnswering = false }
    do {
      let answer = try body()
      if case .values(let values) = answer {
        try recordAnswer(.answered(question, .success(values)))
      }
      return answer
    } catch let refusal as ScopeRefusal {
      // If the journal has failed, nothing was called: that is no answer.
      if caseWriter?.failure == nil { try recordAnswer(.answered(question, .failure(refusal))) }
      throw refusal
    }
  }

  // MARK: Records

  func recordAnswer(_ item: EffectLog.Item) throws(ScopeRefusal) {
    guard let root = effects.current?.root, root.log != nil else { return }
    guard caseState.effects[root.number]?.log.count ?? 0 < EffectLog.most else {
      throw ScopeRefusal(
        "a durable effect is told \(EffectLog.most >> 20) MiB at most: let it end, and dispatch what begins it anew"
      )
    }
    record(item, in: root)
  }

  func record(_ item: EffectLog.Item, in root: RunningEffects.Running) {
    if root.log == nil { return }
    let bytes = EffectLog.bytes(of: [item])
    caseState.effects[root.number]?.log += bytes
    deliver(.effectAnswered(root.number, bytes), to: .effects)
  }

  /// Throws if an effect that only replays its records has come to their end.
  private func expectMore(_ log: EffectLog) throws(ScopeRefusal) {
    if log.isTrial { throw ScopeRefusal("nothing more is recorded") }
  }

  /// True if the running code printed here in an earlier process; if not, this records that it prints now.
  var hasPrintedBefore: Bool {
    guard let running = effects.current, let log = running.root.log else { return false }
    if running.isInsideStub { return running.stub.map { hasPrinted($0, running) } ?? false }
    if log.isTellingAgain {
      _ = log.takePrinted()
      return true
    }
    if log.isTrial { return true }
    record(.printed, in: running.root)
    return false
  }

  // MARK: Waiting and going on

  /// Starts the log of an effect, and records its arguments besides the payload.
  func beginLog(of running: RunningEffects.Running, given more: [Value]) {
    guard running.effect.isDurable, observers.recorder != nil, running.branch == nil else { return }
    let log = EffectLog()
    log.begin(running.number)
    running.log = log
    record(.began(more), in: running)
  }

  /// Returns the time until which a durable effect sleeps; nil if it does not sleep yet, because it is replayed.
  func sleep(_ running: RunningEffects.Running, for delay: Int, until due: Int) -> Int? {
    let root = running.root
    guard let log = root.log else { return due }
    let timer = due > time ? caseState.timers.last + 1 : 0
    let item = EffectLog.Item.slept(for: delay, until: due, timer: timer)
    if running.isInsideStub {
      return running.stub.map { sleep($0, running, item, until: due) } ?? due
    }
    guard let next = log.takeNext() else {
      if log.isTrial { return nil }
      record(item, in: root)
      return due
    }
    guard case .slept(_, let then, let timer) = next else {
      log.deviation = deviation(of: root, "it asks for \(text(of: item))", next)
      return nil
    }
    running.sleeps = (then, timer)
    return nil
  }

  /// Returns the number under which a replayed function of a durable effect began before; nil if it is not replayed.
  func numberAgain(of branch: Branch) -> Int? {
    let root = branch.parent.root
    guard let log = root.log, !branch.parent.isInsideStub, let next = log.takeNext() else {
      return nil
    }
    if case .function(let number, branch.place) = next { return number }
    log.deviation = deviation(
      of: root, "it asks for \(text(of: .function(0, at: branch.place)))", next)
    return nil
  }

  /// Records that a function of an effect has begun.
  func recordFunction(_ running: RunningEffects.Running, isAgain: Bool) {
    let root = running.root
    guard let log = root.log, let branch = running.branch, !running.isInsideStub else { return }
    log.begin(running.number)
    if isAgain || log.deviation != nil { return }
    record(.function(running.number, at: branch.place), in: root)
  }

  /// Records that a durable effect resumes with an answer that it has not been given before.
  func recordResumption(of running: RunningEffects.Running, _ answer: Result<[Value], TaskError>) {
    let root = running.root
    guard let log = root.log, !log.isTellingAgain else { return }
    let item = EffectLog.Item.wentOn(function: log.function(running.number), answer)
    if !running.isInsideStub { return record(item, in: root) }
    if running.stub != nil { recordOfStub(item, running) }
  }
}
