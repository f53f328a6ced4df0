import Foundation
import Testing

@testable import Scenarios

/// Scenarios, and their reports, for machines with nested states.
@Suite("Scenarios for machines with nested states")
struct NestedMachinesTests {
  private static let player = """
    state { lives = 2 }
    action.power {} action.play {} action.stop {} action.mute {} action.hit {}
    machine.player {
      initial = "off",
      off = { power = "on" },
      on = {
        parallel = { "transport", "sound" }, power = "off",
        transport = {
          initial = "stopped",
          stopped = { play = "playing" },
          playing = { initial = "normal", stop = "stopped", normal = { hit = {
            { to = "stopped", when = function(s) return s.lives == 1 end },
            { to = "stopped", when = function(s) return s.lives == 0 end },
            { reduce = function(s) s.lives = s.lives - 1 end } } } },
        },
        sound = { initial = "audible", audible = { mute = "muted" }, muted = { mute = false } },
      },
    }
    """

  private func verdict(_ body: String) throws -> String {
    try Played.verdict(of: body, flow: Self.player)
  }

  @Test("a machine or a region matches a state if it is in one of its substates")
  func expecting() throws {
    #expect(
      try verdict(
        """
        expect.machine.player("off")
        pass.power() pass.play()
        expect.machine.player("on")
        expect.machine.player("on.transport.playing")
        expect.machine.transport("transport")
        expect.machine.transport("playing")
        expect.machine.transport("playing.normal")
        """) == "ok it")
  }

  @Test("a failed expectation names the region and its actual state")
  func failing() throws {
    #expect(
      try verdict("pass.power() pass.play() expect.machine.transport(\"stopped\")")
        == "FAIL a.scenario.lua:3: region transport of machine player is not as expected "
        + "| : \"stopped\", found \"playing.normal\"")
    #expect(
      try verdict("expect.machine.transport(\"stopped\")").hasSuffix("\"stopped\", found no value"))
    #expect(
      try verdict("expect.machine.player(\"on\")")
        == "FAIL a.scenario.lua:3: machine player is not as expected | : \"on\", found \"off\"")
  }

  @Test("an unknown state or machine is an error with the nearest name")
  func unknown() throws {
    #expect(
      try verdict("expect.machine.transport(\"playin\")").contains(
        "region transport of machine player has no state playin; did you mean playing?"))
    #expect(
      try verdict("expect.machine.player(\"on.transprt\")").contains("has no state on.transprt"))
    #expect(
      try verdict("expect.machine.transprt(\"on\")").contains(
        "there is no machine transprt; did you mean transport?"))
  }

  /// Returns the parts of the machines that a scenario with this body does not exercise, by kind.
  private func missing(_ body: String, flow: String = player) throws -> [String] {
    let folder = try TemporaryFolder()
    try folder.write(flow, to: "flow.lua")
    try folder.write(
      "flow \"flow.lua\"\nscenario(\"it\", function()\n\(body)\nend)\n", to: "a.scenario.lua")
    var settings = PlaySettings()
    settings.notesCoverage = true
    let runner = Runner(settings: settings)
    let item = try #require(folder.select("a.scenario.lua").items.first)
    let open = try runner.open(item)
    var coverage: CoverageRecord?
    _ = runner.play(try #require(open.file.entries.first), of: open) { coverage = $0 }
    let parts = try #require(coverage).parts.filter { $0.kind.hasPrefix("machine") }
    return parts.map { "\($0.total): " + $0.missing.joined(separator: "; ") }
  }

  @Test("coverage counts transitions, internal ones and two with the same ends too, and states")
  func coverage() throws {
    #expect(
      try missing("pass.power() pass.play() pass.hit() pass.hit() pass.mute()") == [
        "8: player: on -power-> off; player: on.transport.playing -stop-> on.transport.stopped; "
          + "player: on.transport.playing.normal -hit-> on.transport.stopped (2)", "7: ",
      ])
    #expect(
      try missing("given { player = \"on\", transport = \"playing.normal\" } pass.stop()").last
        == "7: player: on; player: on.sound.audible; player: on.sound.muted; "
        + "player: on.transport.playing; player: on.transport.playing.normal")
  }

  @Test("coverage of a flat machine counts its transitions, also from a given state")
  func flat() throws {
    let door = """
      action.open {} action.close {}
      machine.door { initial = "closed", closed = { open = "opened" }, opened = { close = "closed" } }
      """
    #expect(
      try missing("given { door = \"opened\" } pass.close()", flow: door) == [
        "2: door: closed -open-> opened"
      ])
  }

  @Test("a step has the transitions that it took, and is read back the same")
  func steps() throws {
    let text = "scenario(\"it\", function() pass.power() pass.play() pass.hit() end)\n"
    let played = try Played(text, flow: Self.player, tellsEveryStep: true)
    let record = try #require(played.records.first)
    #expect(
      record.steps.map(\.transitions) == [
        ["player: off -power-> on"],
        ["player: on.transport.stopped -play-> on.transport.playing"],
        ["player: on.transport.playing.normal -hit-> on.transport.playing.normal"],
      ])
    let change = StepRecord.Change(
      operation: .set, path: "sound", old: "\"a\"", new: "\"b\"", by: "always")
    #expect(change.description == "sound: \"a\" -> \"b\"  by always")
  }

  private static let ends = """
    state { ends = map {}, rows = list {}, ready = true }
    action.add { id = string } action.go { id = string } action.all {}
    function reduce.add(s, a) s.ends[a.id] = { n = 1 } end
    function reduce.all(s) s.rows[1] = {} end
    machine["end"] {
      each = "ends", which = "id", without = { add = true }, add = true, initial = "idle",
      idle = { go = "busy", all = { to = "busy", reduce = function(s, a, it) it.n = 7 end } },
      busy = { initial = "slow", slow = { after = { { 20, "fast" } } }, fast = { go = false },
        always = { to = "over", when = function(it) return it.n > 5 end } },
      over = {},
    }
    machine.row { each = "rows", initial = "new", new = { always = { to = "old",
      when = function(it) return true end } }, old = {} }
    machine.lamp {
      initial = "dark",
      dark = { always = { to = "lit", when = function(s) return s.ready end } },
      lit = { always = { to = "bright", when = function(s) return not s.ready end } },
      bright = { initial = "x", x = {} },
    }
    """

  @Test("the machine of one record is expected by its key, and so is a region of it")
  func records() throws {
    func verdict(_ body: String) throws -> String {
      try Played.verdict(of: "pass.add { id = \"ann\" } " + body, flow: Self.ends)
    }
    #expect(
      try verdict(
        """
        expect.machine["end"]["ann"]("idle") expect.machine["end"].ann "idle"
        pass.go { id = "ann" }
        expect.machine["end"].ann "busy" expect.machine["end"].ann "busy.slow"
        """) == "ok it")
    #expect(
      try verdict("expect.machine[\"end\"].ann \"busy\"")
        == "FAIL a.scenario.lua:3: machine end of ends[\"ann\"] is not as expected | : \"busy\", "
        + "found \"idle\"")
    for (body, message) in [
      ("expect.machine[\"end\"].zoe \"busy\"", "there is no ends[\"zoe\"]"),
      (
        "expect.machine[\"end\"].ann \"busi\"",
        "machine end of ends[\"ann\"] has no state busi; did you mean busy?"
      ),
      ("expect.machine[\"end\"].ann.x \"busy\"", "is identified by 1 key, not by 2"),
      (
        "expect.machine[\"end\"] \"busy\"",
        "name the record, as in expect.machine[\"end\"][KEY](STATE)"
      ),
      ("expect.machine.lamp.ann \"lit\"", "machine lamp belongs to the state, not to records"),
      ("expect.machine.lamp()", "expect.machine.lamp needs the expected value"),
      ("expect.machine(\"lamp\")", "expect.machine is followed by a name"),
      ("expect.machine.lamp.x = 1", "expect.machine cannot be changed"),
    ] { #expect(try verdict(body).contains(message), "\(body)") }
  }

  @Test("a path in given is an error that says what to write, and an unknown state has the nearest")
  func giving() throws {
    func verdict(_ body: String) throws -> String {
      try Played.verdict(of: body, flow: Self.ends)
    }
    #expect(
      try verdict("given { [\"ends.a[3].n\"] = 4 }").contains(
        "given takes tables, not the path ends.a[3].n: write ends = { a = { [3] = { n = ... } } }"))
    #expect(
      try verdict("given { lamp = \"brigth\" }").contains("no state brigth; did you mean bright?"))
    #expect(
      try verdict("given { ends = { a = { n = 1, [\"end\"] = \"bussy\" } } }").contains(
        "state.ends.a.end: its machine has no state bussy; did you mean busy?"))
  }

  @Test(
    "coverage counts eventless transitions at the start and after given, and records' initial states"
  )
  func coverageOfRounds() throws {
    #expect(
      try missing("", flow: Self.ends).map { $0.contains("lamp: dark -always-> lit") } == [
        false, false,
      ])
    let given = try missing("given { ready = false }", flow: Self.ends)
    #expect(!given[0].contains("lamp: lit -always-> bright"))
    #expect(!given[1].contains("lamp"))
    let added = try missing("pass.add { id = \"ann\" }", flow: Self.ends)
    #expect(
      added[1].hasSuffix(
        ": end: busy; end: busy.fast; end: busy.slow; end: over; lamp: bright; lamp: bright.x; "
          + "row: new; row: old"))
  }

  @Test("a step names the records that took a transition, and the eventless ones")
  func stepsOfRecords() throws {
    let text = """
      scenario("it", function()
        pass.add { id = "ann" } pass.add { id = "bob" } pass.go { id = "bob" }
        pass.all() advance(20)
      end)
      """
    let played = try Played(text, flow: Self.ends, tellsEveryStep: true)
    let steps = try #require(played.records.first).steps
    #expect(
      steps.map(\.transitions) == [
        [], [], ["end[\"bob\"]: idle -go-> busy"],
        [
          "end[\"ann\"]: idle -all-> busy", "end[\"ann\"]: busy -always-> over",
          "row[1]: new -always-> old",
        ],
        ["end[\"bob\"]: busy.slow -after 20 s-> busy.fast"],
      ])
    #expect(
      steps[3].changes.map(\.description).filter { $0.contains("always") } == [
        "ends.ann[\"end\"]: \"busy.slow\" -> \"over\"  by always",
        "rows[1].row: \"new\" -> \"old\"  by always",
      ])
  }
}
