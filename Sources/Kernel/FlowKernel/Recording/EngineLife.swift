/// The recorded state of an engine, for restarts in the middle of a scenario: a journal that is a single image.
package final class EngineLife {
  private let engine: Engine
  private var image: CaseImage?
  /// The titles of what a restart would have ended because it lives in memory alone: plain effects and clean-ups.
  package private(set) var fleeting: Set<String> = []

  /// Creates the record; the engine records its entries from now on.
  package init(_ engine: Engine) {
    self.engine = engine
    engine.startRecording()
    engine.keepLocals()
  }

  /// Returns true if there is something now that a restart would end.
  package func hasFleeting() -> Bool {
    var found = engine.effects.all.filter { $0.log == nil }.map(\.title)
    found += engine.scopes.instances.values.filter { !$0.cleanUps.isEmpty }
      .map { "a clean-up of scope \($0.name)" }
    fleeting.formUnion(found)
    return !found.isEmpty
  }

  /// Drops all that lives in memory alone, and restores the case from its entries.
  ///
  /// The queue stays as it is. Locals of the flow's files get the values that they had when this was created. The
  /// host's answers are not the engine's, and stay.
  package func restart() throws {
    if let entry = try engine.takeEntry() { try applyEntry(entry) }
    guard let image else { return }
    engine.forget()
    engine.restoreLocals()
    try engine.take(image)
    engine.startRecording()
    engine.resume(runsQueue: false)
    if let entry = try engine.takeEntry() { try applyEntry(entry) }
  }

  private func applyEntry(_ entry: [UInt8]) throws {
    if image == nil {
      image = try CaseImage(image: entry)
    } else {
      try image?.take(entry: entry)
    }
  }
}

extension Engine {
  /// Drops what is under way, as the end of a process does, without notice to anything in it.
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
