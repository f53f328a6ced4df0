import FlowLanguage
import StateCharts

/// The microsteps of machines with states inside, in words.
extension Flow {
  /// The ways that they took, in order: `player: on.playing -stop-> on.stopped`, and of a record
  /// `stage["ann"]: waiting -ready-> ready`.
  package func transitions(in steps: [MicrostepRecord]) -> [String] {
    steps.flatMap { step -> [String] in
      let machine = machines[step.machine]
      if machine.isFlat { return [] }
      let owner = ActiveState(machine: machine.name, state: "", keys: step.keys).owner
      return step.transitions.map {
        "\(owner): \(machine.text(of: machine.compiled.transition($0)))"
      }
    }
  }

  /// The triggers by which regions came to their leaves without an action (`always`, `on_done`), by the paths of their
  /// fields.
  package func eventless(in steps: [MicrostepRecord]) -> [String: String] {
    var eventless: [String: String] = [:]
    for step in steps {
      let machine = machines[step.machine]
      let triggers = step.transitions.map { machine.compiled.transition($0).trigger }
      let isEventless = triggers.contains(.always) || triggers.contains(.done)
      let names = Set(triggers.map { machine.text(of: $0, in: 0) }).sorted()
      for change in step.changes {
        guard let field = machine.chart.regions[Int(change.region)].field else { continue }
        let path = machine.records?.path(to: field, of: step.keys).description ?? field
        eventless[path] = isEventless ? names.joined(separator: " and ") : nil
      }
    }
    return eventless
  }
}

extension [Patch.Change] {
  /// For each what had a region stand where it does then, if that was no action: where a place changes
  /// more than once, the last of its changes.
  package func made(by eventless: [String: String]) -> [String?] {
    if eventless.isEmpty { return map { _ in nil } }
    var eventless = eventless
    return reversed().map { eventless.removeValue(forKey: $0.path.description) }.reversed()
  }
}
