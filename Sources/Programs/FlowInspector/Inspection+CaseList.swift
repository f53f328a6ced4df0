import FlowCases
import FlowHosting
import LuaRuntime

extension Inspection {
  /// Returns the cases that match, with stuck cases first.
  package func cases(
    in place: String?, after id: String?, limit: Int, _ filter: CaseFilter = CaseFilter(), now: Int
  ) async throws -> Value {
    var found: (machine: String, state: String)?
    if let place {
      guard let dot = place.utf8.firstIndex(of: UInt8(ascii: ".")), dot > place.startIndex else {
        throw InspectorMistake(
          .bad, "in must be a machine and one of its states, such as order.open")
      }
      found = (String(place[..<dot]), String(place[place.utf8.index(after: dot)...]))
    }
    // A secret is not shown, so it must not be searched either.
    return try await CaseList(subject, now: now).data(found, after: id, limit: limit, filter) {
      shown.plain(try await subject.lastState(of: $0))
    }
  }

  /// Returns the numbers of cases by state and by condition, and that of the tasks that an operator has to see to.
  package func counts(now: Int) async throws -> Value {
    let counts = try await CaseList(subject, now: now).counts()
    guard let tasks = subject.tasks, case .record(var fields) = counts else { return counts }
    fields["dead"] = try await TaskList(tasks, shown).count().map { .integer($0) }
    return .record(fields)
  }
}
