import FlowKernel
import FlowLanguage
import LuaRuntime

extension HostSettings {
  /// Activates a case, or starts a new one, without resuming anything that was running.
  ///
  /// This blocks until the journal has answered.
  ///
  /// - Returns: the engine; the clock of the stored case, nil for a new one; and the answers of tasks that its effects
  ///   have not got yet.
  package func activate(
    _ flow: LoadedFlow, _ caseWriter: CaseWriter, _ births: CaseBirth = .ifUnknown
  ) throws -> (engine: Engine, clock: CaseClock?, answers: [StoredTasks.Answer]) {
    // Made before anything is read: a host that cannot make an engine must not take the case from its writer.
    let engine = try engine(flow, birth: began)
    let (id, adopts) = (caseWriter.id, options.adoptsJournal)
    let activation = try caseWriter.calls.wait {
      try await CaseActivation.read(id, of: flow, births, adopting: adopts, in: $0)
    }
    let clock = try load(activation, births, into: engine, caseWriter)
    return (engine, clock, activation.stored?.tasks?.answers ?? [])
  }

  /// Loads an activated case into an engine, or starts a new one in it.
  ///
  /// - Returns: the clock of the stored case; nil for a new case.
  func load(
    _ activation: CaseActivation, _ births: CaseBirth, into engine: Engine,
    _ caseWriter: CaseWriter
  ) throws -> CaseClock? {
    engine.caseWriter = caseWriter
    caseWriter.identity = activation.identity
    guard let stored = activation.stored else {
      try start(activation, births, in: engine, caseWriter)
      return nil
    }
    let image = try CaseImage(stored, of: caseWriter.id)
    caseWriter.begin(activation.flow, activation.number, after: stored)
    try restore(image, activation, in: engine, caseWriter)
    // A row that is missing is inserted with the next entry, and one that nothing waits for is closed.
    if let tasks = stored.tasks { engine.setKnownTasks(tasks.keys) }
    return image.caseState.clock
  }

  private func start(
    _ activation: CaseActivation, _ births: CaseBirth, in engine: Engine, _ caseWriter: CaseWriter
  ) throws {
    caseWriter.begin(
      activation.flow, activation.number,
      birth: JournalEntry.Birth(time: engine.birth ?? 0, seed: options.seed))
    startRecording(in: engine, isKnown: false)
    guard case .given(let part, let key) = births else { return }
    if part != [:] {
      if let failure = engine.merge(part) { throw failure }
      engine.observers.transcript?.beginMidway()
    }
    if let key {
      caseWriter.note(KeyedAnswer(key: key, request: CaseWriter.request("", part), revision: 0))
    }
  }

  private func startRecording(in engine: Engine, isKnown: Bool) {
    engine.startRecording(
      isKnown: isKnown, keepsTime: !options.clock.movesByItself,
      keepsRefusals: options.keepsRefusals)
  }

  private func restore(
    _ image: CaseImage, _ activation: CaseActivation, in engine: Engine, _ caseWriter: CaseWriter
  ) throws {
    let id = caseWriter.id
    guard let previous = activation.previous, previous.hash != activation.flow.flow.hash else {
      if let same = activation.previous?.name(sameTextAs: activation.flow) {
        try expect(same, activation, of: id)
      }
      try engine.take(image)
      startRecording(in: engine, isKnown: true)
      return
    }
    let version = activation.flow.flow.version
    if previous.version > version {
      throw JournalError(
        .otherVersion,
        "case \(id) was written by version \(previous.version) of \(previous.name), and this is version "
          + "\(version): serve it with the later version")
    }
    let old = try self.engine(
      LoadedFlow(
        FlowSources(kept: previous.texts), limits: options.limits,
        log: options.log(of: previous.name)
      ))
    try expect(old.flow.name, activation, of: id)
    old.caseWriter = caseWriter
    try old.take(image)
    startRecording(in: old, isKnown: true)
    try engine.adoptState(of: old)
  }

  /// Throws unless the journal knows the flow's name, or may be adopted.
  private func expect(
    _ name: String, _ activation: CaseActivation, of id: String
  ) throws(JournalError) {
    if options.adoptsJournal || activation.identity.knows(name) { return }
    throw JournalError(
      .otherFlow,
      "case \(id) belongs to flow \"\(name)\", and this flow is \"\(activation.flow.flow.name)\": if it is the same flow, take the "
        + "journal over once with --adopt (HostOptions.adoptsJournal).")
  }
}
