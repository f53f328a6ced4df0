import Moonlatch

/// Restarts in the middle of a scenario: those that it asks for, and those after every turn.
extension ScenarioRun {
  static let restartFunctions: [(name: String, answer: Answer)] = [
    ("scenario_restart", doing { run, _ in try run.restart() }),
    ("scenario_is_told_again", { run, _ in [.boolean(run.engine.isToldAgain)] }),
    ("scenario_called", { try $0.beginCall($1) }),
    ("scenario_answered", doing { try $0.endCall($1) }),
  ]

  /// Notes whether a text has the word: only then is it noted what happens, which takes time.
  func look(at text: String) {
    if !namesRestart { namesRestart = text.contains("restart") }
  }

  private func restart() throws {
    guard let life else {
      throw Misuse(
        "restart is to stand in the scenario's file, or in a module that it requires, by its name")
    }
    try life.restart()
  }

  /// A turn has ended: where a restart follows every turn, it comes here, unless it would end something.
  func endTurn() throws {
    guard settings.restarts, let life, !life.hasFleeting() else { return }
    try life.restart()
  }

  /// Says where restarts were left out.
  func tellOfFleeting() {
    guard settings.restarts, let life, !life.fleeting.isEmpty else { return }
    printed.add(
      "no restart while there was what one ends: \(life.fleeting.sorted().joined(separator: ", "))")
  }

  // MARK: Stubs of durable effects

  /// name, arguments: "told" and what was told before, or "new" and what the call is known by.
  private func beginCall(_ arguments: [Value]) throws -> [Value] {
    let (told, call) = try engine.beginStubbedCall(
      of: arguments.first?.stringValue ?? "", Array(arguments.dropFirst()))
    if let told { return ["told"] + told }
    stubbedCalls.append(call)
    return ["new", .integer(stubbedCalls.count - 1)]
  }

  /// what the call is known by, whether it was answered without an error, the answer.
  private func endCall(_ arguments: [Value]) throws {
    guard arguments.count > 1, let number = arguments[0].integerValue,
      stubbedCalls.indices.contains(number)
    else { return }
    let answer = Array(arguments.dropFirst(2))
    try engine.end(
      stubbedCalls[number],
      with: arguments[1] == true
        ? .success(answer)
        : .failure(.init(answer.first?.stringValue ?? answer.first?.description ?? "")))
  }
}
