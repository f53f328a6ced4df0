import FlowLanguage
import LuaRuntime

/// Effects that ended by a fault or an unhandled error: each fails the scenario unless the scenario expects it.
extension ScenarioRun {
  /// A fault that ended an effect, with the steps and the pending work of that moment.
  struct EffectFault {
    let title: String
    let error: ScriptError
    let problem: Problem
    let steps: Timeline
    let pendingWork: [String]
  }

  func add(fault error: ScriptError, of title: String) {
    var told = error
    told.message = "\(title) did not finish: \(error.message)"
    add(error, of: title, .broken(BrokenScript(error: told)))
  }

  /// Adds the problem that nobody answers for a capability.
  ///
  /// An effect that catches the error would not report it.
  func add(missing message: String) {
    let failure = FailedExpectation(
      place: place, message: message, mismatches: [], traceback: [], decisions: [])
    add(ScriptError(kind: .runtime, message: message), of: "", .failed(failure))
  }

  private func add(_ error: ScriptError, of title: String, _ problem: Problem) {
    guard faults.count < ScenarioRun.mostFaults else { return }
    faults.append(
      EffectFault(
        title: title, error: error, problem: problem, steps: timeline,
        pendingWork: engine.pendingWork.map(\.told)))
  }

  /// The number of faults that are held until the scenario expects them.
  private static let mostFaults = 100

  /// Expects that an effect has ended by a fault whose message contains a text.
  ///
  /// A fault that was expected is no problem any more. Returns false, and fails the scenario, if there is no such
  /// fault.
  func expectFault(of name: String, _ expected: Value, at place: Value) throws -> Bool {
    let known = engine.heldNames
    guard known.contains(name) else {
      throw UsageError("there is no effect \(name)" + Names.suggestion(for: name, among: known))
    }
    let titles = [Names.dotted("effect", name), "effect \(name)", "effect of \(name)"]
    let own = faults.indices.filter { titles.contains(faults[$0].title) }
    let match = own.first { index in
      let message = faults[index].error.message
      guard let text = expected.stringValue else {
        return expected == .nil
          || Expectation.value(expected, of: .string(message), matching: matching).isEmpty
      }
      return message.contains(text)
    }
    if let match {
      let message = faults.remove(at: match).error.message
      faults.removeAll { $0.title.isEmpty && $0.error.message == message }
      return true
    }
    let message = "effect \(name) has not failed"
    guard let other = own.first else {
      fail(at: place, message, [])
      return false
    }
    let found = Value.string(faults.remove(at: other).error.message)
    fail(
      at: place, message + " as expected",
      Expectation.value(expected, of: found, matching: matching))
    return false
  }
}
