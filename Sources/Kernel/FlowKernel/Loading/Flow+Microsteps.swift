import FlowLanguage
import StateCharts

/// Texts for the microsteps of machines with nested states.
extension Flow {
  /// Returns the transitions that the microsteps took, in order.
  ///
  /// A transition is written as `player: on.playing -stop-> on.stopped`, and that of a record as `stage["ann"]: waiting
  /// -ready-> ready`.
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

  /// Returns the triggers by which regions came to their leaves without an action, by the paths of their fields.
  ///
  /// The triggers are `always` and `on_done`.
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
  /// Returns for each change the eventless trigger that led to it; nil if an action did.
  ///
  /// If a place changes more than once, only the last of its changes has the trigger.
  package func made(by eventless: [String: String]) -> [String?] {
    if eventless.isEmpty { return map { _ in nil } }
    var eventless = eventless
    return reversed().map { eventless.removeValue(forKey: $0.path.description) }.reversed()
  }
}
