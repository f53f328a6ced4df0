import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime
import Platform

/// The cases of a journal as the subject of an inspector.
package final class InspectedCases: Inspected {
  private let cases: Cases
  private let films = Mutex<[(id: String, film: CaseTimeline)]>([])
  private static let mostFilms = 16

  /// Inspects the cases of a flow.
  package init(_ cases: Cases) { self.cases = cases }

  package var flow: LoadedFlow { cases.flow }
  package var hasCases: Bool { true }
  package var only: String? { nil }
  package var remembersAll: Bool { true }
  package var tasks: CaseTasks? { cases.storedTasks }

  package func summary(of id: String) async throws -> CaseSummary? { try await cases[id].summary() }

  package func list(
    _ place: (machine: String, state: String)?, after id: String?, limit: Int
  ) async throws -> [CaseSummary] {
    if let place {
      return try await cases.list(machine: place.machine, in: place.state, after: id, limit: limit)
    }
    return try await cases.list(after: id, limit: limit)
  }

  package func overdue(
    since time: Int, limit: Int
  ) async throws -> (due: [String], troubled: Set<String>) {
    (try await cases.due(since: time, limit: limit), cases.troubled)
  }

  package func rows(
    of id: String, from seq: Int, limit: Int
  ) async throws -> (rows: [InspectedRow], last: Int) {
    let entries = try await cases[id].page(from: seq, limit: limit)
    var rows: [InspectedRow] = []
    for entry in entries { rows += try InspectedRow.rows(of: entry) }
    return (rows, entries.last?.seq ?? seq - 1)
  }

  package func reach(of id: String) async throws -> (first: Int, last: Int) {
    let first = try await cases[id].page(from: 1, limit: 1).first?.seq ?? 1
    return (first, try await cases[id].summary()?.seq ?? 0)
  }

  package func look<Answer: Sendable>(
    at id: String, _ seq: Int?, _ look: @Sendable (Engine) throws -> Answer
  ) async throws -> Answer {
    try await film(of: id).look(at: place(seq, of: id), look)
  }

  package func currentWork(
    at id: String, _ seq: Int?
  ) async throws -> CaseTimeline.CurrentWork {
    let last = try await place(seq, of: id)
    var currentWork = try await film(of: id).currentWork(at: last)
    if seq == nil {
      let effects = try await cases[id].effects()
      (currentWork.effects, currentWork.failed) = (effects.underWay, effects.failed)
      currentWork.epoch = effects.wallAtZero
      currentWork.tasks = try await cases.openTasks(of: effects.underWay, in: id)
    } else {
      currentWork.failed = try await cases[id].failedEffects(upTo: last, limit: 20)
    }
    return currentWork
  }

  /// Returns the entry number, or that of the last entry if it is nil.
  private func place(_ seq: Int?, of id: String) async throws -> Int {
    if let seq { return seq }
    return try await cases[id].summary()?.seq ?? 1
  }

  private func film(of id: String) -> CaseTimeline {
    films.withLock { films in
      if let known = films.first(where: { $0.id == id }) { return known.film }
      let film = CaseTimeline(of: id, in: cases)
      if films.count == InspectedCases.mostFilms { films.removeFirst() }
      films.append((id, film))
      return film
    }
  }

  package func state(of id: String, at seq: Int) async throws -> Value {
    try await look(at: id, seq) { try $0.state() }
  }

  package func news(of id: String, after seq: Int) async throws -> AsyncThrowingStream<
    Int, any Error
  > {
    let entries = cases[id].entries(from: seq + 1)
    return AsyncThrowingStream { continuation in
      let task = Task {
        do {
          for try await entry in entries { continuation.yield(entry.seq) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  package func rejections(of id: String) -> AsyncStream<RejectedDispatch>? { cases[id].rejections }

  package var wall: Int { cases.wall }

  package var clockMovesByItself: Bool { cases.clockMovesByItself }

  package func lastState(of summary: CaseSummary) async throws -> Value {
    try await CaseTimeline(of: summary.id, in: cases).look(at: summary.seq) { try $0.state() }
  }

  package func end(_ id: String) async throws { try await cases[id].end() }

  package func retry(_ id: String) async throws { try await cases[id].retry() }

  package func dispatch(
    _ action: String, _ payload: Value, at id: String, by who: String?
  ) async throws -> Outcome { try await cases[id].dispatch(action, payload, by: who) }

  package func may(
    _ action: String, _ payload: Value, at id: String, by who: String?
  ) async throws -> Permission { try await cases[id].may(action, payload, by: who) }

  package func create(_ id: String) async throws { try await cases.create(id) }

  package func fork(_ id: String, at seq: Int, as new: String) async throws {
    try await cases.fork(id, at: seq, as: new)
  }
}
