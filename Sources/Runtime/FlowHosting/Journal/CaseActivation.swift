import FlowKernel
import FlowLanguage
import LuaRuntime

/// A case as a journal has given it to whoever becomes its writer.
struct CaseActivation: Sendable {
  /// The text that takes the case over, and the number under which the journal has it.
  package let flow: LoadedFlow
  package let number: Int
  /// The case as it was stored; nil for one that begins.
  package let stored: StoredCase?
  /// The text that was at work before.
  let previous: JournaledFlow?
  /// The journal's identity.
  package let identity: JournalIdentity

  /// Becomes the writer of a case, and reads it.
  ///
  /// - Throws: `JournalError`: `knownCase` and `unknownCase`, as `births` says; `damaged`.
  package static func read(
    _ id: String, of flow: LoadedFlow, _ births: CaseBirth, adopting: Bool, in journal: any Journal
  ) async throws -> CaseActivation {
    let identity = try await journal.identify(as: flow.flow.name, adopting: adopting)
    let stored = try await journal.activate(id)
    switch (births, stored) {
    case (.given, .some): throw CaseBirth.known(id)
    case (.never, nil):
      throw JournalError(
        .unknownCase, "case \(id): there is none of that id; create it first")
    default: break
    }
    let number = try await journal.keep(JournaledFlow(flow))
    guard let stored else {
      return CaseActivation(
        flow: flow, number: number, stored: nil, previous: nil, identity: identity)
    }
    let latest = stored.entries.last?.flow ?? stored.snapshot?.flow ?? 0
    guard let previous = try await journal.flow(latest) else {
      throw JournalError(.damaged, "case \(id): the texts of its flow are not kept")
    }
    return CaseActivation(
      flow: flow, number: number, stored: stored, previous: previous, identity: identity)
  }
}

/// How a host's case comes into being.
package enum CaseBirth {
  /// If there is none of its id.
  case ifUnknown
  /// It has to be there.
  case never
  /// It must not have been there, and begins with this; the key is kept with it.
  case given(Value, key: String?)

  package static func known(_ id: String) -> JournalError {
    JournalError(.knownCase, "case \(id): there is one of that id already, or was")
  }
}

extension HostSettings {
  /// Takes a case up, or begins it: nothing that was under way has gone on.
  ///
  /// This blocks until the journal has answered.
  package func activate(
    _ flow: LoadedFlow, _ caseWriter: CaseWriter, _ births: CaseBirth = .ifUnknown
  ) throws -> (engine: Engine, clock: CaseClock?) {
    // Before anything is read: whoever cannot have an engine takes no case from anybody.
    let engine = try engine(flow, birth: began)
    let (id, adopts) = (caseWriter.id, options.adoptsJournal)
    let activation = try caseWriter.calls.wait {
      try await CaseActivation.read(id, of: flow, births, adopting: adopts, in: $0)
    }
    return (engine, try load(activation, births, into: engine, caseWriter))
  }

  /// Has an engine stand where a case stood, or where one begins.
  ///
  /// - Returns: the clock of a case that was stored.
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
        "case \(id) is of version \(previous.version) of \(previous.name), and this is version "
          + "\(version): who has the later version serves it")
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

  /// Refuses a case of a flow with another name than the journal knows.
  private func expect(
    _ name: String, _ activation: CaseActivation, of id: String
  ) throws(JournalError) {
    if options.adoptsJournal || activation.identity.knows(name) { return }
    throw JournalError(
      .otherFlow,
      "case \(id) is one of flow \"\(name)\", and this flow is \"\(activation.flow.flow.name)\": if it is the same flow, take the "
        + "journal over once with --adopt (HostOptions.adoptsJournal).")
  }
}

extension JournaledFlow {
  /// The name of the flow, which has the same texts as one that was loaded.
  fileprivate func name(sameTextAs flow: LoadedFlow) -> String {
    flow.flow.declaredName ?? FlowFile.stem(of: name)
  }
}
