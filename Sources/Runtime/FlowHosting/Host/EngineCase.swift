import FlowKernel
import FlowLanguage
import LuaRuntime

/// A journaled case for the exclusive user of an engine, such as the prompt.
///
/// Each call of the engine is a turn, which ends with `keep`.
package final class EngineCase {
  private let caseWriter: CaseWriter
  /// The clock of the stored case; nil for a new one, and after `goOn`.
  var stored: CaseClock?
  /// The answers of tasks that effects of the stored case have not got yet, in order; none after `goOn`.
  private var answers: [StoredTasks.Answer]
  /// True while the case's time is behind: it has been restored, and its time has not advanced since.
  private var isBehind = false
  private let wall: @Sendable () -> Int
  /// True if the case is new.
  package let isNew: Bool

  /// Restores a case, or starts a new one.
  ///
  /// Nothing that was running resumes before `goOn`.
  ///
  /// - Parameter capabilities: the capabilities that effects of the case can call.
  /// - Returns: the case, and its engine.
  /// - Throws: `JournalError` if the case belongs to another flow, cannot be read or does not fit; the errors
  ///   of an engine.
  package static func open(
    _ id: String, of flow: LoadedFlow, in journal: any JournalStorage, options: HostOptions,
    capabilities: Capabilities = Capabilities()
  ) throws -> (EngineCase, Engine) {
    let caseWriter = CaseWriter(id, in: .of(journal), wall: options.wall)
    var scopes = HostScopes()
    scopes.capabilities = capabilities
    let settings = HostSettings(options, scopes, flow: flow.name)
    let opened = try settings.activate(flow, caseWriter, .ifUnknown)
    let kept = EngineCase(
      caseWriter, stored: opened.clock, answers: opened.answers, wall: options.wall)
    return (kept, opened.engine)
  }

  private init(
    _ caseWriter: CaseWriter, stored: CaseClock?, answers: [StoredTasks.Answer],
    wall: @escaping @Sendable () -> Int
  ) {
    (self.caseWriter, self.stored, self.wall) = (caseWriter, stored, wall)
    self.answers = answers
    isNew = stored == nil
  }

  /// The case's id.
  package var id: String { caseWriter.id }

  /// Resumes the work that was running when the previous process of the case ended, with the answers that were given
  /// since, each at its time.
  ///
  /// - Returns: the case's time by the wall clock, in microseconds since its birth.
  package func goOn(_ engine: Engine) -> Int {
    guard let stored else { return engine.time }
    (self.stored, isBehind) = (nil, true)
    engine.resume()
    for answer in answers {
      let time = stored.time(atWall: answer.time)
      engine.catchUp(to: time)
      if engine.time == time { engine.caseState.clock.set(wall: answer.time) }
      engine.answer(answer.key, with: answer.outcome)
    }
    answers = []
    return max(engine.time, stored.time(atWall: wall()))
  }

  /// Returns a deviation for each running durable effect that the new text does not continue as it was recorded.
  ///
  /// The list is empty if no durable effect is running.
  ///
  /// - Throws: as `open` if the text cannot take the case over.
  package static func deviations(
    of id: String, under flow: LoadedFlow, in journal: any JournalStorage, options: HostOptions
  ) throws -> [String] {
    guard let stored = try JournalCalls.of(journal).wait({ try await $0.activate(id) }),
      try CaseImage(stored, of: id).caseState.effects.values.contains(where: { !$0.log.isEmpty })
    else { return [] }
    let (_, engine) = try open(id, of: flow, in: journal, options: options)
    return engine.deviations()
  }

  /// Stores all that has happened in the engine, and returns once it is durable.
  ///
  /// - Throws: `JournalError` if it could not be stored; the engine is then ahead of the journal, and must be
  ///   discarded.
  package func keep(_ engine: Engine) throws(JournalError) {
    // On a virtual clock time advances only by calls, whatever the wall clock shows.
    if !isBehind { engine.caseState.clock.set(wall: wall()) }
    isBehind = false
    try caseWriter.endTurn(engine).wait()
  }

  /// Stores another text of the flow, and switches to it.
  package func take(_ flow: LoadedFlow) throws(JournalError) {
    caseWriter.use(flow, try caseWriter.store(flow))
  }
}
