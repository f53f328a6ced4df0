import FlowTools
import Platform

/// A session whose case is kept in a journal.
extension Session {
  /// What is done to the engine at once: where the case is kept, nothing of it is told before it is.
  func turn<Result>(_ body: () throws -> Result) throws -> Result {
    // What a scenario has left is no case.
    guard let kept, halt == nil else { return try body() }
    if let lost { throw CommandError(lost) }
    told.holdBack()
    let result = Swift.Result { try body() }
    do {
      try kept.keep(engine)
    } catch {
      told.letGo(telling: false)
      let sentence =
        "\(error)\nwhat was played last may not be kept, so the session ends here; begin it again to go on from "
        + "what is"
      lost = sentence
      throw CommandError(sentence)
    }
    told.letGo()
    return try result.get()
  }

  /// Goes on with what was under way when the case was last at work, up to now.
  ///
  /// - Throws: where that could not be kept.
  func takeUp() throws {
    guard let kept else { return }
    try turn { clock.set(real: true, at: kept.goOn(engine)) }
    letTimePass()
    played = PlayedSteps()
    viewValues = settings.showsViews ? engine.followViews() : [:]
    for complaint in complaints.lines { output(complaint) }
    complaints = Diagnostics()
    told.end()
    if let lost { throw CommandError(lost) }
  }

  /// Throws where the case is kept, with what cannot be done then.
  func expectNotKept(_ what: String) throws {
    guard let kept else { return }
    throw CommandError("\(what), and case \(kept.id) goes on from where it was")
  }
}
