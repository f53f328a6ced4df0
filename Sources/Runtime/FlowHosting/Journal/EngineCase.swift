import FlowKernel
import FlowLanguage
import LuaRuntime

/// A case that is kept in a journal, for whoever has its engine to himself, as the prompt does: each thing that is
/// done to the engine is a turn, which ends with `keep`.
package final class EngineCase {
  private let caseWriter: CaseWriter
  /// The clock of the case as it was stored; nil for one that begins, and once it has gone on.
  var stored: CaseClock?
  /// True while the time of the case is behind: it has been restored, and no time has passed for it since.
  private var isBehind = false
  private let wall: @Sendable () -> Int
  /// Whether the case begins here.
  package let isNew: Bool

  /// Takes a case up where it stood, or begins it.
  ///
  /// Nothing that was under way goes on before `goOn`.
  ///
  /// - Returns: with it the engine in which it is.
  /// - Throws: `JournalError`, where the case is another's, cannot be read or does not fit; as an engine does.
  package static func open(
    _ id: String, of flow: LoadedFlow, in journal: any Journal, options: HostOptions
  ) throws -> (EngineCase, Engine) {
    let caseWriter = CaseWriter(id, in: .of(journal), wall: options.wall)
    let settings = HostSettings(options, HostScopes(), flow: flow.name)
    let opened = try settings.activate(flow, caseWriter, .ifUnknown)
    return (EngineCase(caseWriter, stored: opened.clock, wall: options.wall), opened.engine)
  }

  private init(
    _ caseWriter: CaseWriter, stored: CaseClock?, wall: @escaping @Sendable () -> Int
  ) {
    (self.caseWriter, self.stored, self.wall) = (caseWriter, stored, wall)
    isNew = stored == nil
  }

  /// The case's id.
  package var id: String { caseWriter.id }

  /// Goes on with what was under way when the process ended that had the case before.
  ///
  /// - Returns: what time it is for the case by the wall clock, in microseconds since its birth.
  package func goOn(_ engine: Engine) -> Int {
    guard let stored else { return engine.time }
    (self.stored, isBehind) = (nil, true)
    engine.resume()
    return max(engine.time, stored.time(atWall: wall()))
  }

  /// The durable effects under way that the text does not go on with, each with how it deviates from what was recorded:
  /// none where no durable effect is under way.
  ///
  /// - Throws: as `open`, where the text cannot take the case over.
  package static func deviations(
    of id: String, under flow: LoadedFlow, in journal: any Journal, options: HostOptions
  ) throws -> [String] {
    guard let stored = try JournalCalls.of(journal).wait({ try await $0.activate(id) }),
      try CaseImage(stored, of: id).caseState.effects.values.contains(where: { !$0.log.isEmpty })
    else { return [] }
    let (_, engine) = try open(id, of: flow, in: journal, options: options)
    return engine.deviations()
  }

  /// Has all kept that has happened in the engine, and returns once it is.
  ///
  /// - Throws: `JournalError`, where it could not be kept: what is in the engine is ahead of the journal then, and
  ///   the engine is to be thrown away.
  package func keep(_ engine: Engine) throws(JournalError) {
    // On a virtual clock time passes as it is told to, whatever the wall clock shows.
    if !isBehind { engine.caseState.clock.set(wall: wall()) }
    isBehind = false
    try caseWriter.endTurn(engine).wait()
  }

  /// Another text of the flow is at work from now on.
  package func take(_ flow: LoadedFlow) throws(JournalError) {
    caseWriter.use(flow, try caseWriter.store(flow))
  }
}
