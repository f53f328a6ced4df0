import FlowLanguage
import LuaRuntime

extension Commit {
  /// Returns the value of the commit that an effect gets after the payload.
  package func value(machines: [Machine]) -> Value {
    let writes = writes
    let all = writes.changes
    let moves = machines.flatMap { machine in
      machine.records.map { Commit.moves(of: machine, $0, in: all) }
        ?? Commit.moves(of: machine, in: all)
    }
    var fields: [String: Value] = [
      "action": .string(action), "revision": .integer(revision), "time": .number(time),
      "changes": Commit.value(writes.net.changes), "writes": Commit.value(all),
      "moves": .list(moves),
    ]
    if let cause { fields["cause"] = .integer(cause) }
    return .record(fields)
  }

  private static func value(_ changes: [Patch.Change]) -> Value {
    .list(
      changes.map { ["path": .string($0.path.description), "old": $0.old, "new": $0.new] })
  }

  private static func moves(of machine: Machine, in writes: [Patch.Change]) -> [Value] {
    let fields = writes.lazy.filter { $0.path.keys.count == 1 }
    let moved = Dictionary(fields.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    return machine.regionFields.compactMap { _, field in
      moved[StatePath([.field(field)])].map { move(of: field, $0) }
    }
  }

  /// Returns the moves of the machines of records, each with the record's key; in nested records with all keys.
  private static func moves(
    of machine: Machine, _ records: Machine.Records, in writes: [Patch.Change]
  ) -> [Value] {
    machine.regionFields.flatMap { number, field in
      writes.compactMap { change -> Value? in
        guard let keys = records.keys(inPathTo: field, change.path), let key = keys.last else {
          return nil
        }
        var more = ["key": key]
        if keys.count > 1 { more["keys"] = .list(keys) }
        return move(of: number == 0 ? machine.name : field, change, more)
      }
    }
  }

  private static func move(
    of name: String, _ change: Patch.Change, _ more: [String: Value] = [:]
  ) -> Value {
    let ends = ["from": change.old, "to": change.new].filter { $0.value != .nil }
    return .record(more.merging(ends) { $1 }.merging(["machine": .string(name)]) { $1 })
  }
}

extension Machine.Records {
  /// Returns the keys in a path that leads to this field of a record; nil for another path.
  fileprivate func keys(inPathTo field: String, _ path: StatePath) -> [Value]? {
    let names = self.path + ["*", field]
    guard path.keys.count == names.count else { return nil }
    var keys: [Value] = []
    for (name, key) in zip(names, path.keys) {
      switch key {
      case .field(let said) where name == "*": keys.append(.string(said))
      case .index(let number) where name == "*": keys.append(.integer(number))
      case .field(name): continue
      case .field, .index: return nil
      }
    }
    return keys
  }
}
