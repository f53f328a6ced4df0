import FlowLanguage
import FlowTools
import LuaRuntime
import Platform

/// The requests of an inspector page to its subject; each answer is a value that is sent as JSON.
package struct Inspection: Sendable {
  let subject: any Inspected
  /// True if nothing can be changed.
  package let isReadOnly: Bool
  private let texts = SecretTexts()

  /// Creates an inspection of a host or of cases.
  package init(_ subject: any Inspected, isReadOnly: Bool = false) {
    (self.subject, self.isReadOnly) = (subject, isReadOnly)
  }

  var shown: ShownValues { ShownValues(subject.flow.flow, texts) }

  // MARK: The flow

  /// Returns the static data: the flow, and what the subject supports.
  package func model() throws -> Value {
    var fields = FlowModel(subject.flow).data
    fields["cases"] = .boolean(subject.hasCases)
    fields["only"] = subject.only.map { .string($0) }
    fields["readOnly"] = .boolean(isReadOnly)
    fields["remembers"] = .boolean(subject.remembersAll)
    fields["clockMoves"] = .boolean(subject.clockMovesByItself)
    fields["tasks"] = .boolean(subject.tasks != nil)
    return .record(fields)
  }

  // MARK: The timeline

  /// Returns the range of entries that a case has.
  package func reach(of id: String) async throws -> Value {
    try await expectCase(id)
    let (first, last) = try await subject.reach(of: id)
    return ["first": .integer(first), "last": .integer(last)]
  }

  /// Returns the rows of entries from a number on.
  package func rows(of id: String, from seq: Int, limit: Int) async throws -> Value {
    let (rows, last) = try await subject.rows(of: id, from: seq, limit: limit)
    if rows.isEmpty { try await expectCase(id) }
    let shown = shown
    return ["rows": .list(rows.map(shown.row)), "last": .integer(last)]
  }

  /// Returns a stream of the number of each entry that is stored from now on, with its rows.
  ///
  /// Between them it has each rejected dispatch from outside, under the number of the entry before.
  package func news(
    of id: String, after seq: Int
  ) async throws -> AsyncThrowingStream<(seq: Int, rows: Value), any Error> {
    try await expectCase(id)
    let news = try await subject.news(of: id, after: seq)
    let rejections = subject.rejections(of: id)
    let reported = LastEntry(seq)
    return AsyncThrowingStream { continuation in
      let refusals = Task {
        guard let rejections else { return }
        for await rejection in rejections {
          let row = shown.row(InspectedRow(rejection, seq: 0, wall: subject.wall))
          continuation.yield((reported.value, ["refused": row]))
        }
      }
      let task = Task {
        do {
          var told = seq
          for try await last in news {
            while told < last {
              let (rows, end) = try await subject.rows(of: id, from: told + 1, limit: 500)
              if end <= told { break }
              told = end
              reported.value = end
              continuation.yield((told, ["rows": .list(rows.map(shown.row))]))
            }
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in
        task.cancel()
        refusals.cancel()
      }
    }
  }

  /// Returns one row with all its changes, and the state before and after.
  package func row(_ seq: Int, _ place: Int, of id: String) async throws -> Value {
    let rows = try await subject.rows(of: id, from: seq, limit: 1).rows.filter { $0.seq == seq }
    guard let row = rows.first(where: { $0.place == place }) else {
      throw InspectorMistake(.unknown, "case \(id) has no row \(place) in entry \(seq)")
    }
    let shown = shown
    guard case .record(var fields) = shown.row(row) else { return .nil }
    fields["payload"] = ShownValues.tree(shown.payload(row.payload, of: row.action))
    let (changes, writes) = (row.changes, row.writes)
    fields["changes"] = shown.changes(changes)
    if writes != changes { fields["writes"] = shown.changes(writes) }
    do {
      // Starts from the state after the entry, and reverts the later rows of that entry.
      let later = rows.filter { $0.place > place && $0.outcome == .passed }.reversed()
      var after = try await subject.state(of: id, at: seq)
      for row in later { after.revert(row.writes) }
      var before = after
      before.revert(writes)
      let active = ActiveStatePaths(subject.flow.flow)
      (fields["before"], fields["after"]) = (shown.state(before), shown.state(after))
      (fields["activeBefore"], fields["activeAfter"]) = (
        active.data(in: before), active.data(in: after)
      )
    } catch {
      fields["lost"] = .string("\(error)")
    }
    return .record(fields)
  }

  // MARK: Moments

  /// Returns all data of a moment: after an entry, or now.
  package func moment(of id: String, at seq: Int?) async throws -> Value {
    try await expectCase(id)
    let (moment, active) = (Moment(shown), ActiveStatePaths(subject.flow.flow))
    let last = try await subject.reach(of: id).last
    var fields: [String: Value]
    if let seq, !subject.remembersAll {
      let state = try await subject.state(of: id, at: seq)
      fields = ["state": shown.state(state), "active": active.data(in: state), "past": true]
    } else {
      fields = try await subject.look(at: id, seq) { [moment, active] engine in
        try moment.data(of: engine, machines: active)
      }
      if seq != nil { fields["past"] = true }
      let currentWork = try await subject.currentWork(at: id, seq)
      fields["pending"] = .list((fields["pending"]?.listValue ?? []) + moment.data(of: currentWork))
      fields["failed"] = moment.data(of: currentWork.failed)
      fields["since"] = .record(
        currentWork.openSince.mapValues { .number(Double($0) / 1_000_000) })
    }
    fields["seq"] = .integer(seq ?? last)
    // An engine at rest has the time of the last entry.
    if seq == nil, subject.clockMovesByItself, let written = try await subject.summary(of: id)?.wall
    {
      let passed = Double(max(0, subject.wall - written)) / 1_000_000
      fields["time"] = .number((fields["time"]?.doubleValue ?? 0) + passed)
    }
    return .record(fields)
  }

  private func expectCase(_ id: String) async throws {
    if try await subject.summary(of: id) == nil { throw try await unknownCase(id) }
  }

  func unknownCase(_ id: String) async throws -> InspectorMistake {
    let near = Names.suggestion(
      for: id, among: try await subject.list(nil, after: nil, limit: 1_000).map(\.id))
    return InspectorMistake(.unknown, "there is no case \"\(id)\"\(near)")
  }

  // MARK: Changing cases

  /// Returns whether an action would pass now.
  ///
  /// - Parameter json: the payload as it was received.
  package func may(
    _ action: String, json: Value, at id: String, by who: String?
  ) async throws -> Value {
    let payload = subject.flow.flow.reading(json: json, of: action)
    return Moment(shown).data(of: try await subject.may(action, payload, at: id, by: who))
  }

  /// Dispatches an action and returns the outcome.
  ///
  /// - Parameter json: the payload as it was received.
  package func dispatch(
    _ action: String, json: Value, at id: String, by who: String?
  ) async throws -> Value {
    try expectChanges()
    let payload = subject.flow.flow.reading(json: json, of: action)
    let outcome = try await subject.dispatch(action, payload, at: id, by: who)
    var row = InspectedRow(
      seq: 0, revision: 0, action: action, payload: payload, by: who, time: 0, wall: 0,
      outcome: .passed)
    row.take(outcome)
    if let commit = outcome.commit {
      (row.revision, row.time) = (commit.revision, commit.microseconds)
    }
    return shown.row(row)
  }

  /// Creates a case.
  package func create(_ id: String) async throws {
    try expectChanges()
    try await subject.create(id)
  }

  /// Ends a case.
  package func end(_ id: String) async throws {
    try expectChanges()
    try await expectCase(id)
    try await subject.end(id)
  }

  /// Wakes a case again, and runs what is due.
  package func retry(_ id: String) async throws {
    try expectChanges()
    try await expectCase(id)
    try await subject.retry(id)
  }

  /// Creates a case with the state that another one had after an entry.
  package func fork(_ id: String, at seq: Int, as new: String) async throws {
    try expectChanges()
    try await subject.fork(id, at: seq, as: new)
  }

  private func expectChanges() throws {
    if isReadOnly {
      throw InspectorMistake(.conflict, "this inspector changes nothing: it is read-only")
    }
  }
}

/// The number of the last entry that a stream has sent.
private final class LastEntry: Sendable {
  private let state: Mutex<Int>

  init(_ seq: Int) { state = Mutex(seq) }

  var value: Int {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }
}
