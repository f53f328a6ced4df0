import Foundation
import Moonlatch
import Testing

@testable import Scenarios

/// What scenarios ask and what is told of machines with states inside states.
@Suite("Scenarios of machines with states inside states")
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

  @Test("a machine or a region is in a state if it is in one inside that")
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

  @Test("an expectation that does not hold names the region, and where it stands instead")
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

  @Test("a state or a machine that there is not is told with the nearest")
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

  /// What a scenario with this body has not exercised of the machines, by kind.
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

  @Test("declared ways are counted, those that stay and two that lead the same way too, and states")
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

  @Test("a flat machine counts what leads from one state to another, also from where it was given")
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

  @Test("a step tells the ways that such machines took, and reads back the same")
  func steps() throws {
    let text = "scenario(\"it\", function() pass.power() pass.play() pass.hit() end)\n"
    let played = try Played(text, flow: Self.player, tellsEveryStep: true)
    let record = try #require(played.records.first)
    #expect(
      record.steps.map(\.ways) == [
        ["player: off -power-> on"],
        ["player: on.transport.stopped -play-> on.transport.playing"],
        ["player: on.transport.playing.normal -hit-> on.transport.playing.normal"],
      ])
    let change = StepRecord.Change(
      operation: .set, path: "sound", old: "\"a\"", new: "\"b\"", by: "always")
    #expect(change.description == "sound: \"a\" -> \"b\"  by always")
  }
}
