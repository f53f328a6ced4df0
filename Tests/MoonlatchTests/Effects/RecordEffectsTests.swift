import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// Effects of the states of a record's machine.
@Suite struct RecordEffectsTests {
  static func flow(_ effect: String, more: String = "", initial: String = "") -> String {
    """
    state { jobs = map { \(initial) }, log = list {} }
    action.put { id = string, name = string { default = "" } }
    for _, name in ipairs { "begin", "stop", "drop", "note" } do action[name] { id = string } end
    action.finish { id = string, text = string { default = "" } }
    action.fail { id = string, error = string }
    action.rename { id = string, to = string }
    action.swap { one = string, two = string }
    action.beginAll {}
    function reduce.put(s, a) s.jobs[a.id] = { name = a.name } end
    function reduce.drop(s, a) s.jobs[a.id] = nil end
    function reduce.rename(s, a) s.jobs[a.to] = s.jobs[a.id]; s.jobs[a.id] = nil end
    function reduce.swap(s, a) s.jobs[a.one], s.jobs[a.two] = s.jobs[a.two], s.jobs[a.one] end
    function reduce.note(s, a) table.insert(s.log, a.id) end
    function reduce.fail(s, a) table.insert(s.log, a.id .. ": " .. a.error) end
    function reduce.finish(s, a) table.insert(s.log, a.id .. " " .. a.text) end
    machine.stage {
      each = "jobs", which = "id", without = { put = true },
      initial = "idle",
      idle = { begin = "running", beginAll = "running", put = true, note = true, drop = true, rename = true },
      running = { effect = \(effect), finish = "over", fail = "over", stop = "idle", drop = true, note = true,
        rename = true, begin = { to = "running", reenter = true } },
      over = { begin = "running", rename = "over", drop = true, note = true },
    }
    \(more)
    """
  }

  /// Says when it begins and when it is stopped.
  static let saying = """
    function(self, a, it, key)
      print("+" .. key .. it.name)
      local ending <close> = setmetatable({}, { __close = function() print("-" .. key) end })
      sleep(10)
      dispatch.finish { id = key }
    end
    """

  private func begun(
    _ effect: String = saying, more: String = "", limits: Limits = Limits()
  ) throws -> Trial {
    let trial = try Trial(Self.flow(effect, more: more), limits: limits)
    for id in ["a", "b"] {
      try trial.play("put", ["id": .string(id), "name": "!"])
      try trial.play("begin", ["id": .string(id)])
    }
    return trial
  }

  private func stages(_ trial: Trial) throws -> [String: String] {
    let jobs = try trial.state("jobs").recordValue ?? [:]
    return jobs.compactMapValues { $0["stage"]?.stringValue }
  }

  @Test("the effect of each record's state gets a copy of its record, the key and the commit")
  func begins() throws {
    let trial = try begun(
      """
      function(self, a, it, key, transition)
        print(self == nil, a.id, it.name, it.stage, key, transition.action, transition.revision)
        sleep(10)
        dispatch.finish { id = key, text = it.name .. it.stage }
      end
      """)
    #expect(
      trial.printed.take() == [
        "false\ta\t!\trunning\ta\tbegin\t2",
        "false\tb\t!\trunning\tb\tbegin\t4",
      ])
    #expect(
      try trial.host.pendingWork.map(\.title) == [
        "effect of stage[\"a\"].running", "effect of stage[\"b\"].running",
      ])
    try trial.play("stop", ["id": "a"])
    #expect(try trial.host.pendingWork.map(\.title) == ["effect of stage[\"b\"].running"])
    try trial.advance(10)
    #expect(try stages(trial) == ["a": "idle", "b": "over"])
    #expect(try trial.state("log") == ["b !running"])
    #expect(try trial.state("jobs")["b"]?["name"] == "!")
    #expect(trial.told() == [])
  }

  @Test("an action for all records starts the effect of each, and reenter restarts it")
  func all() throws {
    let trial = try Trial(Self.flow(Self.saying, initial: "a = { name = '' }, b = { name = '' }"))
    try trial.play("beginAll")
    #expect(trial.printed.take() == ["+a", "+b"])
    try trial.play("begin", ["id": "b"])
    #expect(trial.printed.take() == ["-b", "+b"])
  }

  @Test("removing a record stops its effect, and makes its queued dispatches stale")
  func goes() throws {
    let trial = try begun(
      """
      function(self, a, it, key)
        local ending <close> = setmetatable({}, { __close = function() print("-" .. key) end })
        after(3, "note", { id = key })
        sleep(1)
        dispatch.drop { id = "a" }
        dispatch.note { id = key }
        sleep(100)
      end
      """)
    try trial.play("stop", ["id": "b"])
    _ = trial.printed.take()
    try trial.play("drop", ["id": "a"])
    #expect(trial.printed.take() == ["-a"])
    #expect(try trial.host.pendingWork.isEmpty)
    try trial.advance(10)
    #expect(try trial.state("log") == [])
    #expect(trial.told() == [])
  }

  @Test("a dispatch of a record's effect is stale once another action has removed the record")
  func stale() throws {
    let trial = try Trial(
      Self.flow(
        "function(self, a, it, key) dispatch.note { id = 'b' } end",
        more: "function effect.begin(self, a) dispatch.drop { id = a.id } end",
        initial: "a = { name = '' }, b = { name = '' }"))
    try trial.play("begin", ["id": "a"])
    try trial.host.settle()
    #expect(
      trial.told() == [
        "note from the queue was refused by machine stage: stale: note comes from "
          + "stage[\"a\"].running, which was left (#2)"
      ])
  }

  @Test("an effect moves with its record to another key, with everything that it has set")
  func moves() throws {
    let trial = try begun(
      """
      function(self, a, it, key)
        local ending <close> = setmetatable({}, { __close = function() print("-" .. key) end })
        local timer = after(3, "note", { id = "b" })
        sleep(5)
        print(timer:cancel())
        sleep(5)
        print("through", key)
      end
      """)
    try trial.play("stop", ["id": "b"])
    _ = trial.printed.take()
    try trial.play("rename", ["id": "a", "to": "c"])
    #expect(trial.printed.take() == [])
    #expect(
      try trial.host.pendingWork.map(\.title) == ["note", "effect of stage[\"c\"].running"])
    try trial.advance(4)
    #expect(try trial.state("log") == ["b"])
    try trial.play("stop", ["id": "c"])
    #expect(trial.printed.take() == ["-a"])
    #expect(try trial.host.pendingWork.isEmpty)
  }

  @Test("records that change places keep their own effects")
  func swaps() throws {
    let trial = try begun()
    _ = trial.printed.take()
    try trial.play("swap", ["one": "a", "two": "b"])
    try trial.play("stop", ["id": "a"])
    #expect(trial.printed.take() == ["-b"])
    try trial.play("stop", ["id": "b"])
    #expect(trial.printed.take() == ["-a"])
  }

  @Test("an effect is stopped if the action that leaves its state renames the record")
  func leavesAndMoves() throws {
    let trial = try Trial(
      Self.flow(
        "function(self, a, it, key) after(3, 'note', { id = 'b' }) sleep(9) print('never') end",
        initial: "a = { name = '' }, b = { name = '' }"
      ).replacing(
        "rename = true, begin = {", with: "rename = 'over', after = { stop = 5 }, begin = {"))
    try trial.play("begin", ["id": "a"])
    #expect(try trial.host.pendingWork.count == 3)
    try trial.play("rename", ["id": "a", "to": "c"])
    #expect(try trial.host.pendingWork.isEmpty)
    #expect(try stages(trial) == ["b": "idle", "c": "over"])
  }

  @Test("a new record starts the effect of its initial state, and effects at the start are queued")
  func coming() throws {
    let flow = """
      state { jobs = map { z = { name = "" } } }
      action.put { id = string }
      action.move { from = string, to = string }
      function reduce.put(s, a) s.jobs[a.id] = { name = "" } end
      machine.stage { each = "jobs", which = "id", without = { put = true },
        initial = "new", new = { put = true, effect = \(Self.saying.replacing("dispatch.finish { id = key }", with: "")) } }
      """
    let trial = try Trial(flow)
    #expect(trial.printed.take() == [])
    try trial.host.settle()
    #expect(trial.printed.take() == ["+z"])
    try trial.play("put", ["id": "y"])
    #expect(trial.printed.take() == ["+y"])
    // Another record in its place.
    try trial.play("put", ["id": "y"])
    #expect(trial.printed.take() == ["-y", "+y"])
    #expect(trial.told() == [])
  }

  @Test("on_done and on_error concern the effect's record, unless the result names another")
  func ends() throws {
    let trial = try begun(
      """
      { on_done = "finish", on_error = "fail", run = function(self, a, it, key)
          sleep(1)
          if key == "a" then error("no a", 0) end
          return { text = "said " .. key }
        end }
      """)
    try trial.advance(1)
    #expect(try trial.state("log") == ["a: no a", "b said b"])
    #expect(try stages(trial) == ["a": "over", "b": "over"])
    #expect(trial.told() == [])
  }

  @Test("undo restarts the effects that were running then, with the record as it was")
  func goingBack() throws {
    let trial = try begun()
    try trial.play("stop", ["id": "a"])
    try trial.play("rename", ["id": "b", "to": "c"])
    _ = trial.printed.take()
    try trial.host.undo(2)
    try trial.host.settle()
    #expect(trial.printed.take() == ["-b", "+a!", "+b!"])
    try trial.host.redo(2)
    try trial.host.settle()
    #expect(trial.printed.take() == ["-a", "-b", "+c!"])
    #expect(try trial.host.pendingWork.map(\.title) == ["effect of stage[\"c\"].running"])
    _ = trial.told()
    try trial.advance(10)
    #expect(try stages(trial) == ["a": "idle", "c": "over"])
  }

  @Test("a reload keeps the running effects, with the new text")
  func reload() throws {
    let trial = try begun()
    _ = trial.printed.take()
    try trial.host.reload(
      to: LoadedFlow(source: Self.flow(Self.saying.replacing("\"+\"", with: "\"new \""))))
    try trial.host.settle()
    #expect(trial.printed.take() == ["-a", "-b", "new a!", "new b!"])
    try trial.advance(10)
    #expect(try stages(trial) == ["a": "over", "b": "over"])
  }

  @Test("a record given in a state starts that state's effect")
  func given() throws {
    let printed = Trial.Lines()
    let engine = try Engine(
      LoadedFlow(source: Self.flow(Self.saying, initial: "a = { name = '' }")), limits: Limits(),
      log: ScriptLog { printed.add($0) })
    let failure = engine.merge([
      "jobs": ["a": ["stage": "running"], "b": ["name": "?", "stage": "running"]]
    ])
    #expect(failure == nil)
    engine.settle()
    #expect(printed.take().sorted() == ["+a", "+b?"])
  }

  @Test("a state effect for records in a list is an error, since an index is no stable identity")
  func lists() throws {
    #expect(throws: FlowError.self) {
      try Trial(Self.flow(Self.saying).replacing("jobs = map {", with: "jobs = list {"))
    }
  }

  @Test("commit.moves names the record that moved by its key, or by all keys of nested records")
  func movesByKey() throws {
    let trial = try Trial(
      """
      state { orders = map { o = { lines = map { l = { sku = "x" }, k = { sku = "y" } } } } }
      action.ship { order = string }
      action.pick { order = string, line = string }
      machine.line { each = "orders.*.lines", which = { "order", "line" }, field = "status",
        initial = "open", open = { pick = "picked", ship = "sent" }, picked = { ship = "sent" }, sent = {} }
      machine.order { each = "orders", which = "order", initial = "new", new = { ship = "gone" }, gone = {} }
      function effect.ship(self, a, commit)
        for _, move in ipairs(commit.moves) do
          print(move.machine, move.key, move.keys and table.concat(move.keys, "/"), move.from, move.to)
        end
      end
      """)
    try trial.play("pick", ["order": "o", "line": "k"])
    try trial.play("ship", ["order": "o"])
    #expect(
      trial.printed.take().sorted() == [
        "line\tk\to/k\tpicked\tsent", "line\tl\to/l\topen\tsent", "order\to\tnil\tnew\tgone",
      ])
  }

  @Test("a thousand records have a thousand effects, and removing the collection stops them all")
  func many() throws {
    let trial = try Trial(
      Self.flow(
        "function() sleep(10) end",
        more: """
          action.fill {} action.clear {}
          function reduce.fill(s) for i = 1, 1000 do s.jobs["j" .. i] = { name = "" } end end
          function reduce.clear(s) s.jobs = map {} end
          """), limits: Limits(effects: 1000))
    try trial.play("fill")
    try trial.play("beginAll")
    #expect(try trial.host.pendingWork.count == 1000)
    try trial.play("clear")
    #expect(try trial.host.pendingWork.isEmpty)
  }
}
