import LuaRuntime

/// Effects that go on after a restart: run again from the first line, and told what they were told before.
extension Engine {
  // MARK: Questions

  /// Answers what a script asks, or says again what a durable effect was told.
  func answer(
    _ function: LibraryFunction, _ arguments: [Value], _ body: () throws -> HostAnswer
  ) throws -> HostAnswer {
    guard let log = effects.current?.root.log, !log.isAnswering,
      let question = question(function, arguments)
    else { return try body() }
    if let deviation = log.deviation { throw ScopeRefusal(deviation) }
    if function == .scopeCall { return try call(question, log, body) }
    if let next = log.takeNext() {
      guard case .answered(question, let told) = next else { throw deviation(question, next, log) }
      return .values(try told.get())
    }
    log.isAnswering = true
    defer { log.isAnswering = false }
    do {
      guard case .values(let values) = try body() else { return .values([]) }
      try tell(.answered(question, .success(values)))
      return .values(values)
    } catch let refusal as ScopeRefusal {
      try tell(.answered(question, .failure(refusal)))
      throw refusal
    }
  }

  /// What an effect learns by a question; nil for what is the same whenever it is asked, and for what is done anew.
  private func question(
    _ function: LibraryFunction, _ arguments: [Value]
  ) -> EffectLog.Question? {
    switch function {
    case .now: EffectLog.Question("now", [])
    case .random: EffectLog.Question("random", arguments)
    case .enqueue: EffectLog.Question("dispatch \(text(arguments, 0))", arguments)
    case .schedule: EffectLog.Question("after \(text(arguments, 1))", arguments)
    case .cancel: EffectLog.Question("cancel", arguments)
    case .may: EffectLog.Question("may \(text(arguments, 0))", arguments)
    case .gatekeeperMayPass, .gatekeeperHolder:
      EffectLog.Question("gatekeeper \(text(arguments, 0))", arguments)
    case .view: EffectLog.Question("view \(text(arguments, 0))", arguments)
    // Openings by hand have other numbers when it is run again.
    case .scopeCall: EffectLog.Question(text(arguments, 1), arguments.dropFirst())
    // Who runs it again may not lend the same yet.
    case .scopeHas:
      EffectLog.Question(text(arguments, 1), ["has"])
    case .scopeKey, .scopeName, .scopeParent, .scopeCheck, .scopeLevels, .scopeUnlock,
      .scopeClose, .scopeLeave, .scopeDefer, .scopeMissing, .namedState, .misfit, .born, .print,
      .loadModule, .attempt, .by, .document, .enteredBy:
      nil
    }
  }

  private func text(_ arguments: [Value], _ index: Int) -> String {
    guard arguments.indices.contains(index) else { return "" }
    return arguments[index].stringValue ?? arguments[index].text(limit: 40)
  }

  /// Calls a capability, unless it has answered before.
  private func call(
    _ question: EffectLog.Question, _ log: EffectLog, _ body: () throws -> HostAnswer
  ) throws -> HostAnswer {
    if let next = log.takeNext() {
      guard case .called(question) = next else { throw deviation(question, next, log) }
      if case .answered(question, let told)? = log.next {
        _ = log.takeNext()
        _ = effects.current?.position.next()
        return .values(try told.get())
      }
    } else {
      try tell(.called(question))
    }
    log.isAnswering = true
    defer { log.isAnswering = false }
    do {
      let answer = try body()
      if case .values(let values) = answer { try tell(.answered(question, .success(values))) }
      return answer
    } catch let refusal as ScopeRefusal {
      // Nothing was called where the journal has failed: that is no answer.
      if caseWriter?.failure == nil { try tell(.answered(question, .failure(refusal))) }
      throw refusal
    }
  }

  func deviation(
    _ question: EffectLog.Question, _ told: EffectLog.Item, _ log: EffectLog
  ) -> ScopeRefusal {
    let title = effects.current?.root.title ?? "the effect"
    let message =
      "\(title) was changed while under way: it asks for \(question.name) where \(told.title) is recorded"
    log.deviation = message
    return ScopeRefusal(message)
  }

  func tell(_ item: EffectLog.Item) throws(ScopeRefusal) {
    guard let root = effects.current?.root, let log = root.log else { return }
    guard log.bytes.count < EffectLog.most else {
      throw ScopeRefusal(
        "a durable effect is told \(EffectLog.most >> 20) MiB at most: let it end, and dispatch what begins it anew"
      )
    }
    recorder?.note(told: log.append(item), to: root.number)
  }

  /// Whether what runs has printed here in a process before this one; it is noted that it prints now where not.
  var hasPrintedBefore: Bool {
    guard let root = effects.current?.root, let log = root.log else { return false }
    if log.isTellingAgain {
      _ = log.takePrinted()
      return true
    }
    recorder?.note(told: log.append(.printed), to: root.number)
    return false
  }

  // MARK: Waiting and going on

  /// An effect begins: what it is given besides the payload is kept.
  func beginLog(of running: RunningEffects.Running, given more: [Value]) {
    guard running.effect.isDurable, recorder != nil, running.branch == nil else { return }
    let log = EffectLog()
    log.begin(running.number)
    running.log = log
    recorder?.note(told: log.append(.began(more)), to: running.number)
  }

  /// Until when a durable effect sleeps: nil where it does not yet, being told again what it was told.
  func sleep(_ running: RunningEffects.Running, until due: Int) -> Int? {
    let root = running.root
    guard let log = root.log else { return due }
    guard let next = log.takeNext() else {
      let timer = due > time ? ledger.timers.last + 1 : 0
      recorder?.note(told: log.append(.slept(until: due, timer: timer)), to: root.number)
      return due
    }
    guard case .slept(let then, let timer) = next else {
      log.deviation = deviation("sleep", next, root)
      return nil
    }
    running.sleeps = (then, timer)
    return nil
  }

  private func deviation(
    _ asked: String, _ told: EffectLog.Item, _ root: RunningEffects.Running
  ) -> String {
    "\(root.title) was changed while under way: it asks for \(asked) where \(told.title) is recorded"
  }

  /// The number under which a function of a durable effect began before, where it is told again what it was told.
  func numberAgain(ofFunctionOf root: RunningEffects.Running) -> Int? {
    guard let log = root.log, let next = log.takeNext() else { return nil }
    if case .function(let number) = next { return number }
    log.deviation = deviation("functions side by side", next, root)
    return nil
  }

  /// A function of an effect has begun.
  func noteFunction(_ running: RunningEffects.Running, isAgain: Bool) {
    let root = running.root
    guard let log = root.log else { return }
    log.begin(running.number)
    if isAgain || log.deviation != nil { return }
    recorder?.note(told: log.append(.function(running.number)), to: root.number)
  }

  /// A durable effect goes on with an answer that it has not been given before.
  func note(goingOn running: RunningEffects.Running, _ answer: Result<[Value], TaskError>) {
    let root = running.root
    guard let log = root.log, !log.isTellingAgain else { return }
    let item = EffectLog.Item.wentOn(function: log.function(running.number), answer)
    recorder?.note(told: log.append(item), to: root.number)
  }

  // MARK: Running again

  /// Goes on with a durable effect that is told again what it was told before.
  private func tellAgain(_ number: Int, _ answer: Result<[Value], TaskError>) {
    effects[number]?.sleeps = nil
    effects[number]?.preparedCall = nil
    goOn(number, with: answer)
  }

  /// Runs a durable effect again, to where it was.
  func runAgain(
    _ stored: CaseImage.StoredEffect, _ effect: Effect
  ) throws(ScriptError) {
    let place = effect.function.place
    guard let instance = scopes[stored.instance], !instance.block.isClosed else {
      throw ScriptError(.runtime, "its scope is closed since the restart", at: place)
    }
    guard let log = try? EffectLog(telling: stored.log), case .began(let more)? = log.takeNext()
    else {
      throw ScriptError(.runtime, "what it was told could not be read", at: place)
    }
    if let own = stored.own { scopes.put(own) }
    let own = stored.own?.number ?? stored.instance
    let this = try reference(to: own)
    try vm.setPayload(stored.commit.payload)
    let running = RunningEffects.Running(
      number: stored.number, effect: effect, commit: stored.commit, cause: stored.cause,
      during: stored.state, instance: stored.instance, own: own, flowVersion: flowVersion, end: nil)
    running.log = log
    log.begin(stored.number)
    recorder?.note(known: stored.number)
    run(running) {
      $0.start(
        effect.function.reference, self: this, more: more, receiver: running.receiver,
        budget: budget)
    }
    while case .wentOn(let function, let answer)? = log.next {
      guard log.functions.indices.contains(function),
        effects[log.functions[function]] != nil
      else { break }
      _ = log.takeNext()
      tellAgain(log.functions[function], answer)
    }
    if log.deviation == nil, let next = log.next, effects[stored.number] != nil {
      log.deviation =
        "\(running.title) was changed while under way: it waits where \(next.title) is recorded"
    }
    if endDeviating(running) { return }
    log.endTelling()
    for number in effects.tree(stored.number) { waitAnew(number) }
  }

  /// What waits does so for real, from now on.
  private func waitAnew(_ number: Int) {
    guard let running = effects[number] else { return }
    if let (due, timer) = running.sleeps {
      running.sleeps = nil
      // Where it was queued as the process ended it is so again.
      if queue.waking.contains(number) { return }
      if timer == 0 {
        queue.add(.wake(number), owner: .nobody)
      } else {
        ledger.wake(number, due: due, timer: timer)
      }
    } else if let prepared = running.preparedCall {
      running.preparedCall = nil
      calls.prepared = prepared
      startCall(prepared.number, by: running)
    }
  }

  /// Ends a durable effect that has asked something else than it did before: whether it has.
  func endDeviating(_ running: RunningEffects.Running) -> Bool {
    let root = running.root
    guard let log = root.log, let message = log.deviation else { return false }
    if log.isOver { return true }
    log.isOver = true
    if drop(root.number) == nil { noteEnd(of: root) }
    ended(
      root.effect, of: root.commit, root.cause,
      ScriptError(.runtime, message, at: root.effect.function.place), during: root.state)
    return true
  }
}

extension EffectLog.Item {
  /// As messages name it.
  fileprivate var title: String {
    switch self {
    case .began: "its beginning"
    case .answered(let question, _), .called(let question): question.name
    case .slept: "sleep"
    case .wentOn: "a wait"
    case .function: "a function side by side"
    case .printed: "print"
    }
  }
}
