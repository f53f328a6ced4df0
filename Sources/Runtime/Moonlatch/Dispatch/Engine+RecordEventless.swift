import LuaRuntime
import StateCharts

/// What machines of records do unasked. A condition has the record alone, so that a machine is asked where
/// something in its record has changed, or the record has come.
extension Engine {
  /// What the machines do in the next round of records that have changed since the last one.
  func courseOfTouched(
    _ machine: LoadedMachine, _ action: String
  ) throws(Rejection) -> EnabledTransitions.TransitionSelection? {
    guard let records = machine.records else { return nil }
    let course: Result<EnabledTransitions.TransitionSelection?, Rejection>
    do throws(ScriptError) {
      try vm.findTouchedRecords()
      let found = try vm.selectTouchedRecords(of: records.number)
      guard found.count > 0 else { return nil }
      course = try self.course(of: found, machine, records, action)
    } catch {
      throw .failed(scriptFailure(error, action: action))
    }
    return try course.get()
  }

  private func course(
    of found: LuaVM.Selection, _ machine: LoadedMachine, _ records: LoadedRecords, _ action: String
  ) throws(ScriptError) -> Result<EnabledTransitions.TransitionSelection?, Rejection> {
    var courses: [RecordTransitions] = []
    let kept = withInterpreter(of: machine)
    defer { caches.interpreters[machine.index] = kept }
    for record in found.first..<found.first + UInt32(found.count) {
      let leafNumbers = try leafNumbers(of: record, in: machine)
      do throws(Rejection) {
        guard try isDue(record, at: leafNumbers, machine, records, kept, action) else { continue }
      } catch {
        return .failure(error)
      }
      kept.interpreter.filter(
        at: leafNumbers, remembering: try memory(of: machine, record, kept.interpreter))
      courses.append(
        RecordTransitions(
          record: record, leafNumbers: leafNumbers, transitions: kept.interpreter.taken))
    }
    return .success(courses.isEmpty ? nil : .records(machine, courses))
  }

  private func isDue(
    _ record: UInt32, at leafNumbers: [ChartInterpreter.LeafNumber], _ machine: LoadedMachine,
    _ records: LoadedRecords,
    _ kept: InterpreterPool, _ action: String
  ) throws(Rejection) -> Bool {
    var failure: Rejection?
    let found = kept.interpreter.selectRound(at: leafNumbers) { number in
      let condition = machine.chart.rows[Int(number)].condition
      if condition < 0 { return true }
      return Rejection.note(&failure) { () throws(Rejection) in
        let answer: RuleAnswer
        do throws(ScriptError) {
          answer = try vm.ask(
            machine.reference(Chart.Function(condition)), ofRecord: record, of: records.number,
            budget: budget)
        } catch {
          throw .failed(scriptFailure(error, action: action))
        }
        return try agrees(answer, number, machine, action)
      }
    }
    if let failure { throw failure }
    return found
  }
}
