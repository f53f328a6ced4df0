import FlowTools
import Platform

/// A session whose case is stored in a journal.
extension Session {
  /// Runs one turn of the engine; if the case has a journal, nothing is reported before the turn is stored.
  func turn<Result>(_ body: () throws -> Result) throws -> Result {
    // The flow of a scenario is not a case.
    guard let kept, halt == nil else { return try body() }
    if let lost { throw CommandError(lost) }
    told.holdBack()
    let result = Swift.Result { try body() }
    do {
      try kept.keep(engine)
    } catch {
      told.letGo(telling: false)
      let sentence =
        "\(error)\nthe last input may not be stored, so the session ends here; start it again to resume from what "
        + "is stored"
      lost = sentence
      throw CommandError(sentence)
    }
    told.letGo()
    return try result.get()
  }

  /// Resumes the work of the case from its last turn up to now.
  ///
  /// - Throws: `CommandError` if that could not be stored.
  func takeUp() throws {
    guard let kept else { return }
    try turn { clock.set(real: true, at: kept.goOn(engine)) }
    // An earlier process may have begun these, and have ended before their answers.
    tasks.follow(engine.openTasks, attempt: 2)
    letTimePass()
    deliverAnswers()
    played = PlayedSteps()
    viewValues = settings.showsViews ? engine.followViews() : [:]
    for complaint in complaints.lines { output(complaint) }
    complaints = Diagnostics()
    told.end()
    if let lost { throw CommandError(lost) }
  }

  /// Throws if the case has a journal; the text says what cannot be done then.
  func expectNotKept(_ what: String) throws {
    guard let kept else { return }
    throw CommandError("\(what), but case \(kept.id) resumes where it was")
  }
}
