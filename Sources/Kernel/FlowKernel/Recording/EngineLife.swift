/// What has become of an engine, as entries say it, for restarts in the middle of a scenario: a journal that is a
/// single image.
package final class EngineLife {
  private let engine: Engine
  private var image: CaseImage?
  /// What a restart would have ended that lives in memory alone: plain effects, clean-ups.
  package private(set) var fleeting: Set<String> = []

  /// From now on it is noted what happens.
  package init(_ engine: Engine) {
    self.engine = engine
    engine.startRecording()
    engine.keepLocals()
  }

  /// Whether there is something just now that a restart would end.
  package func hasFleeting() -> Bool {
    var found = engine.effects.all.filter { $0.log == nil }.map(\.title)
    found += engine.scopes.instances.values.filter { !$0.cleanUps.isEmpty }
      .map { "a clean-up of scope \($0.name)" }
    fleeting.formUnion(found)
    return !found.isEmpty
  }

  /// Drops all that lives in memory alone, and takes the case up as its entries say it stands.
  ///
  /// What is queued stays so. Locals of the flow's files are what they were as this began; what the host answers is not
  /// the engine's, and stays.
  package func restart() throws {
    if let entry = try engine.takeEntry() { try take(entry) }
    guard let image else { return }
    engine.forget()
    engine.restoreLocals()
    try engine.take(image)
    engine.startRecording()
    engine.resume(runsQueue: false)
    if let entry = try engine.takeEntry() { try take(entry) }
  }

  private func take(_ entry: [UInt8]) throws {
    if image == nil {
      image = try CaseImage(image: entry)
    } else {
      try image?.take(entry: entry)
    }
  }
}

extension Engine {
  /// Forgets what is under way, as a process does that ends: nothing of it hears of that.
  fileprivate func forget() {
    observers.recorder = nil
    vm.beginWork(.effect, budget: mostPerChain)
    defer { vm.endWork() }
    scopes.dropCleanUps()
    let waiting = effects.waiting.values.sorted { $0.number < $1.number }
    effects = RunningEffects()
    for running in waiting {
      if let task = running.task { running.flowVersion.vm.close(task, budget: budget) }
    }
    calls.pending.cancelAll(because: "the restart")
    for (number, instance) in scopes.instances where instance.parent != nil {
      vm.forgetInstance(number)
      if let reference = instance.reference { vm.release(reference) }
    }
    scratch.source = nil
  }
}
