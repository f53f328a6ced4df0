import LuaRuntime
import StateCharts

/// The transitions that a trigger enables.
struct ChartSelection {
  /// The transitions, in the order of the regions that selected them; empty if nothing is enabled.
  package let transitions: [ChartInterpreter.TransitionNumber]
  /// The transitions that refused, in regions where none was found.
  package let refusals: [ChartInterpreter.Refusal]
}

/// Selection, conflicts and microsteps, for flows and documents; nothing else in the engine uses interpreters.
extension Engine {
  /// Returns a machine of the state as a subject, in its current configuration.
  func subject(_ machine: LoadedMachine) -> ChartSubject {
    ChartSubject(machine: machine, leafNumbers: leafNumbers(of: machine))
  }

  package func leafNumbers(of machine: LoadedMachine) -> [ChartInterpreter.LeafNumber] {
    machine.regions.count == derived.configuration.count
      ? derived.configuration : Array(derived.configuration[machine.regions])
  }

  /// Selects the transitions that a trigger enables, including those that conflict.
  ///
  /// - Parameters:
  ///   - holds: evaluates the condition of a transition, at most once for each.
  ///   - tells: returns true if a transition that refuses gives a reason.
  func select(
    _ trigger: ChartTrigger, of subject: ChartSubject,
    holds: (ChartInterpreter.TransitionNumber) throws(Rejection) -> Bool,
    tells: (ChartInterpreter.TransitionNumber) -> Bool = { _ in true }
  ) throws(Rejection) -> ChartSelection {
    let lent = lendInterpreter(of: subject.machine)
    defer { caches.interpreters[subject.machine.index] = lent }
    var failure: Rejection?
    let isEnabled = lent.interpreter.select(
      trigger, at: subject.leafNumbers,
      agrees: { transition in
        do throws(Rejection) {
          return try holds(transition)
        } catch {
          failure = error
          return nil
        }
      }, tells: tells)
    if let failure { throw failure }
    return ChartSelection(
      transitions: isEnabled ? lent.interpreter.taken : [], refusals: lent.interpreter.refusals)
  }

  /// Returns the transitions without those that lose a conflict.
  func resolveConflicts(
    _ transitions: [ChartInterpreter.TransitionNumber], of subject: ChartSubject
  ) throws(ScriptError) -> [ChartInterpreter.TransitionNumber] {
    guard transitions.count > 1 else { return transitions }
    let lent = lendInterpreter(of: subject.machine)
    defer { caches.interpreters[subject.machine.index] = lent }
    lent.interpreter.taken = transitions
    lent.interpreter.resolveConflicts(
      at: subject.leafNumbers, remembering: try historyValue(of: subject, lent.interpreter))
    return lent.interpreter.taken
  }

  /// Computes the microstep of these transitions; content runs later.
  func microstep(
    of subject: ChartSubject, by transitions: [ChartInterpreter.TransitionNumber]
  ) throws(ScriptError) -> Microstep {
    let lent = lendInterpreter(of: subject.machine)
    defer { caches.interpreters[subject.machine.index] = lent }
    var leafNumbers = subject.leafNumbers
    var memory = try historyValue(of: subject, lent.interpreter)
    lent.interpreter.taken = transitions
    lent.interpreter.move(&leafNumbers, remembering: &memory)
    return Microstep(
      subject.machine, of: subject.record, after: lent.interpreter, remembering: memory)
  }

  /// Computes the microstep in which a machine enters these states, and default states for what they leave open.
  ///
  /// - Returns: the microstep, and the configuration after it.
  func entry(
    of machine: LoadedMachine, at states: [ChartInterpreter.StateNumber] = []
  ) -> (microstep: Microstep, leafNumbers: [ChartInterpreter.LeafNumber]) {
    let lent = lendInterpreter(of: machine)
    defer { caches.interpreters[machine.index] = lent }
    var leafNumbers: [ChartInterpreter.LeafNumber] = []
    lent.interpreter.taken = []
    lent.interpreter.begin(
      &leafNumbers, at: states, remembering: lent.interpreter.noMemory)
    return (Microstep(machine, after: lent.interpreter), leafNumbers)
  }

  /// Takes the interpreter of a machine out of the cache; the borrower puts it back.
  ///
  /// A condition that asks for a selection meanwhile finds none in the cache, and gets another one.
  private func lendInterpreter(of machine: LoadedMachine) -> LentInterpreter {
    if caches.interpreters.isEmpty {
      caches.interpreters = Array(repeating: nil, count: flow.machines.count)
    }
    return caches.interpreters[machine.index].take() ?? LentInterpreter(machine.chart)
  }
}
