import FlowLanguage
import LuaRuntime

/// The export of a case as a file: its entries and its state, with dots in place of secrets.
extension Inspection {
  /// Returns a part of an export: the rows of entries from a number on; the first part also has the state of the case.
  ///
  /// - Throws: `InspectorMistake` if there is no such case.
  package func export(of id: String, from seq: Int, limit: Int) async throws -> Value {
    guard let summary = try await subject.summary(of: id) else {
      throw try await unknownCase(id)
    }
    let (rows, last) = try await subject.rows(of: id, from: seq, limit: limit)
    var fields: [String: Value] = [
      "rows": .list(rows.map(exported)), "last": .integer(last), "end": .integer(summary.seq),
    ]
    if seq == 1 {
      let work = try await subject.currentWork(at: id, nil)
      fields["case"] = [
        "id": .string(id), "flow": .string(subject.flow.name),
        "version": .integer(subject.flow.flow.version), "revision": .integer(summary.revision),
        "born": .integer(summary.born), "written": .integer(summary.wall),
        "ended": summary.ended.map { .integer($0) } ?? .nil,
        "state": shown.plain(try await subject.lastState(of: summary)),
        "effects": .list(work.effects.map { $0.value(epoch: work.epoch, tasks: work.tasks) }),
        "failed": .list(work.failed.map { $0.value(epoch: work.epoch) }),
      ]
    }
    return .record(fields)
  }

  private func exported(_ row: InspectedRow) -> Value {
    var fields: [String: Value] = [
      "entry": .integer(row.seq), "outcome": .string(row.outcome.rawValue),
      "revision": .integer(row.revision), "action": .string(row.action),
      "payload": shown.payload(row.payload, of: row.action),
      "time": .number(Double(row.time) / 1_000_000), "written": .integer(row.wall),
    ]
    fields["by"] = row.by.map { .string($0) }
    fields["cause"] = row.cause.map { .integer($0) }
    fields["who"] = row.who.map { .string($0) }
    fields["why"] = row.why.map { shown.sentence($0) }
    if row.outcome == .passed { fields["changes"] = shown.plainChanges(row.changes) }
    return .record(fields)
  }
}
