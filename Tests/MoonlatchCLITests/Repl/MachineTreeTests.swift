import Testing

@testable import MoonlatchCLI

/// Output of the prompt for machines with nested states.
@Suite("The prompt with nested states")
struct MachineTreeTests {
  private static let player = """
    state { quiet = false }
    action.power {} action.play {} action.stop {} action.pause {} action.mute {}
    action.faster {} action.slower {} action.sleep {}
    machine.player {
      initial = "off",
      off = { power = "on", mute = { refuse = "it is off" } },
      on = {
        power = "off", sleep = "off", after = { sleep = 60 },
        parallel = { "transport", "sound" },
        transport = {
          initial = "stopped",
          stopped = { play = "playing" },
          playing = { initial = "normal", stop = "stopped", pause = "paused",
            normal = { faster = "fast" }, fast = { slower = "normal", faster = true } },
          paused = { play = "playing", stop = "stopped" },
        },
        sound = { initial = "audible",
          audible = { mute = { to = "muted", when = function(s) return s.quiet, "too loud" end } },
          muted = { mute = "audible" } },
      },
    }
    """

  @Test("machines are shown as a tree of active states, with their transitions and the time left")
  func tree() throws {
    let prompt = try Prompt(Self.player)
    #expect(
      prompt.type(":machines") == """
        player: off
          mute is refused: it is off, power -> on
        """)
    prompt.type("power()")
    prompt.type("play()")
    prompt.type("faster()")
    prompt.type(":advance 20")
    #expect(
      prompt.type(":machines") == """
        player: on
          transport: playing.fast
            faster stays, slower -> normal
            pause -> paused, stop -> stopped      from playing
          sound: audible
            mute -> muted
          power -> off, sleep -> off              from on
          sleep is due in 40 s                    from on
        """)
  }

  @Test("why has a line for each region that was consulted")
  func why() throws {
    let prompt = try Prompt(
      """
      action.approve { role = string } action.submit {} action.edit {}
      local function only(role)
        return function(s, a) return a.role == role, "this is for " .. role end
      end
      machine.document {
        initial = "draft",
        draft = { edit = true, submit = "review" },
        review = {
          parallel = { "legal", "finance" },
          legal = { initial = "asked",
            asked = { approve = { to = "agreed", when = only "legal" } }, agreed = { final = true } },
          finance = { initial = "asked",
            asked = { approve = { to = "agreed", when = only "finance" } },
            agreed = { final = true } },
        },
      }
      """)
    #expect(prompt.type(":why edit").contains("machine document agrees (stays in draft)"))
    prompt.type("submit()")
    #expect(
      prompt.type(":why approve { role = \"legal\" }").contains(
        """
        machine document agrees  [flow.lua:3]
              legal agrees (asked -> agreed)
              finance stays: this is for finance
        """))
    #expect(
      prompt.type(":why approve { role = \"cook\" }").contains(
        """
              legal stays: this is for legal
              finance stays: this is for finance
        """))
    #expect(prompt.session.revision == 1)
  }

  @Test("a transition that exits several regions is shown with the line that lists it")
  func whyOutwards() throws {
    let prompt = try Prompt(Self.player)
    prompt.type("power()")
    #expect(prompt.type(":why power").contains("\n      player agrees (on -> off)\n"))
    let mute = prompt.type(":why mute")
    #expect(mute.contains("refuses: too loud") && mute.contains("\n      sound stays: too loud"))
  }

  private static let stage = """
    state { players = map {}, orders = map {}, n = 0 }
    action.join { id = string } action.ready { id = string } action.put { order = string, sku = integer }
    action.pick { order = string, sku = integer } action.many {}
    machine.stage { each = "players", which = "id", without = { join = true }, join = true,
      initial = "waiting",
      waiting = { ready = "on", after = { ready = 30, { 60, "on" } } },
      on = { parallel = { "arm", "leg" }, arm = {}, leg = {} } }
    machine.item { each = "orders.*.items", which = { "order", "sku" }, without = { put = true }, put = true,
      initial = "wanted", wanted = { pick = "picked" }, picked = {} }
    machine.lamp { initial = "dark", dark = { many = true } }
    function reduce.join(s, a) s.players[a.id] = {} end
    function reduce.put(s, a) s.orders[a.order] = { items = map { [a.sku] = {} } } end
    function reduce.many(s) for n = 1, 30 do s.players["p" .. n + 10] = {} end end
    """

  @Test("the machine of one record is shown by its key, with its own timers only")
  func record() throws {
    let prompt = try Prompt(Self.stage)
    #expect(prompt.type(":machines stage") == "stage: one for each of players, and there is none")
    prompt.type("join { id = \"ann\" }")
    prompt.type("join { id = \"bob b\" }")
    prompt.type(":advance 10")
    prompt.type("ready { id = \"ann\" }")
    #expect(
      prompt.type(":machines stage") == """
        stage: one for each of players: 1 on, 1 waiting
          stage["ann"]: on
          stage["bob b"]: waiting
        """)
    #expect(
      prompt.type(":machines stage[\"ann\"]") == """
        stage["ann"]: on
          arm: arm
          leg: leg
          join stays      from stage
        """)
    #expect(
      prompt.type(":machines stage[\"bob b\"]") == """
        stage["bob b"]: waiting
          ready -> on, after 1 min -> on
          ready is due in 20 s
          after 1 min is due in 50 s
          join stays      from stage
        """)
    prompt.type("put { order = \"o\", sku = 7 }")
    #expect(
      prompt.type(":machines item.o[7]").hasPrefix("item[\"o\"][7]: wanted\n  pick -> picked"))
    #expect(prompt.type(":machines lamp") == "lamp: dark\n  many stays")
  }

  @Test("a list of many records is truncated, and an unknown record is an error")
  func manyRecords() throws {
    let prompt = try Prompt(Self.stage)
    prompt.type("many()")
    let lines = prompt.type(":machines stage").split(separator: "\n")
    #expect(lines.count == 22)
    #expect(lines.last == "  ... and 10 more")
    #expect(prompt.type(":machines stage[\"zoe\"]") == "error: there is no players[\"zoe\"]")
    #expect(
      prompt.type(":machines stag") == "error: there is no machine stag; did you mean stage?")
    #expect(
      prompt.type(":machines item.o")
        == "error: a record of orders.*.items is identified by 2 keys, not by 1")
    #expect(
      prompt.type(":machines lamp.x") == "error: machine lamp belongs to the state, not to records"
    )
    #expect(prompt.type(":machines stage[").hasPrefix("error: there is no machine stage["))
  }

  @Test("pending timers name their record")
  func pendingWork() throws {
    let prompt = try Prompt(Self.stage)
    #expect(
      prompt.type("join { id = \"ann\" }").hasSuffix(
        "pending: ready of stage[\"ann\"] is due in 30 s; after 1 min in stage[\"ann\"].waiting is due "
          + "in 1 min"))
    #expect(prompt.type(":timers").contains("ready of stage[\"ann\"] { id = \"ann\" }, set by #1"))
  }
}
