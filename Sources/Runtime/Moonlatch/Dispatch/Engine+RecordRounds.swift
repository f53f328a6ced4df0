import LuaRuntime
import StateCharts

/// What machines of records do unasked. A condition has the record alone, so that a machine is asked where
/// something in its record has changed, or the record has come.
extension Engine {
  /// What the machines do in the next round of records that have changed since the last one.
  func courseOfTouched(
    _ machine: LoadedMachine, _ action: String
  ) throws(Rejection) -> Plan.Course? {
    guard let records = machine.records else { return nil }
    let course: Result<Plan.Course?, Rejection>
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
  ) throws(ScriptError) -> Result<Plan.Course?, Rejection> {
    var courses: [RecordCourse] = []
    let kept = takePlanner(of: machine)
    defer { planners[machine.index] = kept }
    for record in found.first..<found.first + UInt32(found.count) {
      let stops = try stops(of: record, in: machine)
      do throws(Rejection) {
        guard try isDue(record, at: stops, machine, records, kept, action) else { continue }
      } catch {
        return .failure(error)
      }
      kept.planner.filter(at: stops, remembering: try memory(of: machine, record, kept.planner))
      courses.append(RecordCourse(record: record, stops: stops, transitions: kept.planner.taken))
    }
    return .success(courses.isEmpty ? nil : .records(machine, courses))
  }

  private func isDue(
    _ record: UInt32, at stops: [Planner.Stop], _ machine: LoadedMachine, _ records: LoadedRecords,
    _ kept: KeptPlanner, _ action: String
  ) throws(Rejection) -> Bool {
    var failure: Rejection?
    let found = kept.planner.selectRound(at: stops) { number in
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
