import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// Records that are added, removed, moved, copied and replaced at random, compared with a model
/// that knows each by its identity.
@Suite struct RecordComparisonTests {
  private static let flow = """
    state { players = map {}, other = map {} }
    action.play { ops = list_of { kind = string, a = string, b = string, n = integer }, fails = boolean }
    action.up { id = string }
    machine.stage {
      each = "players", which = "id", initial = "a",
      a = { up = "b" }, b = { up = "c" }, c = { up = "c" },
    }
    function reduce.play(s, p)
      for _, op in ipairs(p.ops) do
        local a, b = op.a, op.b
        if op.kind == "new" then s.players[a] = { n = op.n }
        elseif op.kind == "drop" then s.players[a] = nil
        elseif op.kind == "move" then
          local it = s.players[a]
          s.players[a] = nil
          s.players[b] = it
        elseif op.kind == "copy" then s.players[b] = s.players[a]
        elseif op.kind == "swap" then s.players[a], s.players[b] = s.players[b], s.players[a]
        elseif op.kind == "out" then
          local it = s.players[a]
          s.players[a] = nil
          s.other[b] = it
        elseif op.kind == "back" then
          local it = s.other[a]
          s.other[a] = nil
          s.players[b] = it
        elseif op.kind == "anew" then
          local it = s.players[a]
          s.players = map {}
          s.players[b] = it
        end
      end
      if p.fails then error("no") end
    end
    """

  private final class Record {
    var home: String?
    let n: Int
    var stage: String?
    init(n: Int, stage: String? = nil) { (self.n, self.stage) = (n, stage) }
  }

  /// A model of the state's two maps, and of the adoption of records.
  private struct Model {
    var players: [String: Record] = [:]
    var other: [String: Record] = [:]
    private var puts: [(isPlayers: Bool, key: String)] = []
    private var isPlain = false

    private subscript(isPlayers: Bool, key: String) -> Record? {
      get { isPlayers ? players[key] : other[key] }
      set { if isPlayers { players[key] = newValue } else { other[key] = newValue } }
    }

    /// In a collection that stands nowhere itself.
    private static let gone = "gone"

    private static func home(_ isPlayers: Bool, _ key: String) -> String {
      (isPlayers ? "p" : "o") + key
    }

    mutating func put(_ record: Record?, _ isPlayers: Bool, _ key: String) {
      if isPlayers, isPlain {
        players[key] = record
        return
      }
      let here = Model.home(isPlayers, key)
      let old = self[isPlayers, key]
      if old === record { return }
      if let old, old.home == here { old.home = nil }
      self[isPlayers, key] = record
      guard let record else { return }
      // A table of a script's has no home until it is adopted.
      if record.home == nil, record.stage != nil { record.home = here }
      puts.append((isPlayers, key))
    }

    /// The collection is a table of the script's from here on; what was in it stands nowhere.
    mutating func clear() {
      for (key, record) in players where record.home == Model.home(true, key) {
        record.home = Model.gone
      }
      players = [:]
      isPlain = true
      puts.append((true, ""))
    }

    mutating func adopt() {
      for (isPlayers, key) in puts {
        // A table of the script's is gone through in the order of its keys.
        let keys = key.isEmpty ? players.keys.sorted() : [key]
        for key in keys { adopt(isPlayers, key) }
      }
    }

    private mutating func adopt(_ isPlayers: Bool, _ key: String) {
      let here = Model.home(isPlayers, key)
      guard let record = self[isPlayers, key], record.home != here else { return }
      if record.home == nil || record.home == Model.gone {
        record.home = here
      } else {
        let copy = Record(n: record.n, stage: record.stage)
        copy.home = here
        self[isPlayers, key] = copy
      }
    }
  }

  @Test(
    "records match a model after random actions, and undo and redo restore each revision",
    arguments: 1...8)
  func compared(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed &* 7919)
    let engine = try Engine(
      LoadedFlow(source: Self.flow), limits: Limits(), log: ScriptLog { _ in })
    var states: [Value] = [try engine.state()]
    for step in 1...150 {
      let keys = ["x", "y", "z"]
      func key() -> Value { .string(keys[Int(random.next() % 3)]) }
      if random.next() % 3 == 0 {
        let outcome = engine.dispatch("up", ["id": key()])
        if outcome.commit != nil { states.append(try engine.state()) }
        continue
      }
      let kinds = ["new", "drop", "move", "copy", "swap", "out", "back", "anew"]
      let ops = (0..<Int(random.next() % 4 + 1)).map { index -> Value in
        [
          "kind": .string(kinds[Int(random.next() % 8)]), "a": key(), "b": key(),
          "n": .integer(step * 10 + index),
        ]
      }
      let fails = random.next() % 5 == 0
      let before = try engine.state()
      let outcome = engine.dispatch(
        "play", ["ops": .list(ops), "fails": .boolean(fails)])
      let after = try engine.state()
      guard outcome.commit != nil else {
        #expect(after == before, "step \(step): \(outcome)")
        #expect(outcome.failure?.message.contains("no") == true, "step \(step): \(outcome)")
        continue
      }
      states.append(after)
      try expect(after, follows: before, ops, step)
    }
    for revision in stride(from: states.count - 1, through: 0, by: -7) {
      try engine.go(to: revision)
      #expect(try engine.state() == states[revision], "going to #\(revision)")
    }
    for revision in 0..<min(states.count, 60) {
      try engine.go(to: revision)
      #expect(try engine.state() == states[revision], "coming back to #\(revision)")
    }
    for key in ["x", "y", "z"] where try engine.state()["players"]?[key] != nil {
      #expect(engine.dispatch("up", ["id": .string(key)]).commit != nil)
    }
  }

  /// Every record in `players` has a state; one that was there before and was only moved keeps its own, and
  /// whatever else came begins.
  private func expect(_ after: Value, follows before: Value, _ ops: [Value], _ step: Int) throws {
    var model = Model()
    func fill(_ value: Value?, _ isPlayers: Bool) {
      guard case .record(let records)? = value else { return }
      for (key, record) in records {
        let made = Record(
          n: record["n"]?.integerValue ?? 0, stage: record["stage"]?.stringValue ?? "none")
        made.home = (isPlayers ? "p" : "o") + key
        if isPlayers { model.players[key] = made } else { model.other[key] = made }
      }
    }
    fill(before["players"], true)
    fill(before["other"], false)
    let known = model.players
    for op in ops {
      let (a, b) = (op["a"]?.stringValue ?? "", op["b"]?.stringValue ?? "")
      switch op["kind"]?.stringValue {
      case "new": model.put(Record(n: op["n"]?.integerValue ?? 0), true, a)
      case "drop": model.put(nil, true, a)
      case "move":
        let it = model.players[a]
        model.put(nil, true, a)
        model.put(it, true, b)
      case "copy": model.put(model.players[a], true, b)
      case "swap":
        let (x, y) = (model.players[a], model.players[b])
        // Lua assigns from right to left.
        model.put(x, true, b)
        model.put(y, true, a)
      case "out":
        let it = model.players[a]
        model.put(nil, true, a)
        model.put(it, false, b)
      case "back":
        let it = model.other[a]
        model.put(nil, false, a)
        model.put(it, true, b)
      default:
        let it = model.players[a]
        model.clear()
        model.put(it, true, b)
      }
    }
    model.adopt()
    var expected: [String: Value] = [:]
    for (key, record) in model.players {
      let stayed = known.values.contains { $0 === record }
      expected[key] = [
        "n": .integer(record.n), "stage": .string(stayed ? record.stage ?? "" : "a"),
      ]
    }
    #expect(after["players"] == .record(expected), "step \(step): \(before) \(ops)")
  }
}
