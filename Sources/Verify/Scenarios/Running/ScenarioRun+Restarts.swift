/// Restarts in the middle of a scenario: those that it asks for, and those after every turn.
extension ScenarioRun {
  static let restartFunctions: [(name: String, answer: Answer)] = [
    ("scenario_restart", doing { run, _ in try run.restart() })
  ]

  private func restart() throws {
    guard let life else {
      throw UsageError(
        "restart must be called by its name, in the scenario's file or in a module that it requires"
      )
    }
    try life.restart()
  }

  /// Ends a turn: begins the real calls that it has opened, and restarts if a restart follows every turn, unless the restart would end something.
  func endTurn() throws {
    live?.follow(engine.openTasks)
    guard settings.restarts, let life, !life.hasFleeting() else { return }
    try life.restart()
  }

  /// Prints what kept restarts from happening, if anything did.
  func tellOfFleeting() {
    guard settings.restarts, let life, !life.fleeting.isEmpty else { return }
    printed.add(
      "no restart, because it would have ended: \(life.fleeting.sorted().joined(separator: ", "))")
  }
}
