import LuaRuntime

/// Answers the questions that stubs ask themselves.
extension Engine {
  /// Answers a question of a stub, or repeats the answer that was recorded before a restart.
  func answer(
    _ question: EffectLog.Question, of stub: StubRun, _ body: () throws -> HostAnswer
  ) throws -> HostAnswer {
    let known = stub.takeNext { if case .answered(question, _) = $0 { true } else { false } }
    if case .answered(_, let told)? = known { return .values(try told.get()) }
    guard let running = effects.current, let log = running.root.log else { return try body() }
    let function = log.function(running.number)
    return try record(
      in: log, { .ofStub(function: function, .answered(question, $0)) }, body)
  }

  /// Returns the time until which a stub sleeps; nil if it is recorded: the stub then resumes, or waits for its old
  /// timer.
  func sleep(
    _ stub: StubRun, _ running: RunningEffects.Running, _ item: EffectLog.Item, until due: Int
  ) -> Int? {
    let known = stub.takeNext { if case .slept = $0 { true } else { false } }
    guard case .slept(_, let then, let timer)? = known else {
      recordOfStub(item, running)
      return due
    }
    if case .wentOn? = stub.again.first {
      stub.again.removeFirst()
      effects.steps.append(.goOn(running, .success([])))
    } else {
      running.sleeps = (then, timer)
      waitAnew(running.number)
    }
    return nil
  }

  func hasPrinted(_ stub: StubRun, _ running: RunningEffects.Running) -> Bool {
    if case .printed? = stub.again.first {
      stub.again.removeFirst()
      return true
    }
    recordOfStub(.printed, running)
    return false
  }

  func recordOfStub(_ item: EffectLog.Item, _ running: RunningEffects.Running) {
    guard let log = running.root.log else { return }
    record(.ofStub(function: log.function(running.number), item), in: running.root)
  }
}
