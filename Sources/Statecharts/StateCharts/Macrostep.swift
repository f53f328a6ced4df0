/// The parts of a macrostep in which flows and SCXML documents differ.
///
/// In a flow all machines take their eventless transitions together. A document has one session at a time, with
/// internal events and invocations, and runs content block by block. `Macrostep.run` determines the order of the parts.
package protocol MacrostepDialect {
  associatedtype Failure: Error

  /// True once a final state at the top is active.
  var hasEnded: Bool { get }

  /// Handles the end of the machine.
  mutating func end() throws(Failure)

  /// Selects the transitions that no event triggers, and takes them in one microstep; false if none is enabled.
  mutating func takeEventless() throws(Failure) -> Bool

  /// Removes the first internal event, and takes the transitions that it enables; false if there is no event.
  mutating func takeInternalEvent() throws(Failure) -> Bool

  /// Starts the sessions that entered states invoke; false if nothing is left to do after that.
  mutating func invoke() throws(Failure) -> Bool
}

/// The main loop of appendix D of the SCXML recommendation, without its external queue.
///
/// See https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation.
package enum Macrostep {
  /// Takes microsteps until the configuration is stable.
  ///
  /// Transitions without an event come first, then internal events one by one, then invocations. A caller that has an
  /// event takes its transitions before this.
  @inlinable
  package static func run<Dialect: MacrostepDialect>(_ dialect: inout Dialect) throws(Dialect
    .Failure)
  {
    while true {
      if dialect.hasEnded { return try dialect.end() }
      if try dialect.takeEventless() { continue }
      if try dialect.takeInternalEvent() { continue }
      if try !dialect.invoke() { return }
    }
  }
}

/// A trigger of transitions.
package enum ChartTrigger: Sendable {
  /// An action, an event of a document, or none (`CompiledChart.eventless`).
  ///
  /// Only leaves inside `state` are searched for a transition; 0 stands for all.
  case action(CompiledChart.ActionNumber, inside: Chart.StateNumber = 0)
  /// A timer of a state, by its index among the state's timers.
  case timer(Int, of: Chart.StateNumber)

  /// The trigger without an event, for transitions of `always` and `on_done`.
  package static let eventless = ChartTrigger.action(CompiledChart.eventless)
  /// Any event of a document; conditions decide which transitions it matches.
  package static let event = ChartTrigger.action(CompiledChart.events)
}
