import Testing

@testable import MoonlatchCLI

/// What the prompt tells of machines with states inside states.
@Suite("The prompt with states inside states")
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

  @Test("machines are a tree of what is active, with where each way is listed and the time left")
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

  @Test("why has a line for each region that was asked")
  func why() throws {
    let prompt = try Prompt(
      """
      action.approve { role = string } action.submit {} action.edit {}
      local function by(role)
        return function(s, a) return a.role == role, "this is for " .. role end
      end
      machine.document {
        initial = "draft",
        draft = { edit = true, submit = "review" },
        review = {
          parallel = { "legal", "finance" },
          legal = { initial = "asked",
            asked = { approve = { to = "agreed", when = by "legal" } }, agreed = { final = true } },
          finance = { initial = "asked",
            asked = { approve = { to = "agreed", when = by "finance" } },
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

  @Test("a way that leaves several regions is told where it is listed")
  func whyOutwards() throws {
    let prompt = try Prompt(Self.player)
    prompt.type("power()")
    #expect(prompt.type(":why power").contains("\n      player agrees (on -> off)\n"))
    let mute = prompt.type(":why mute")
    #expect(mute.contains("refuses: too loud") && mute.contains("\n      sound stays: too loud"))
  }
}
