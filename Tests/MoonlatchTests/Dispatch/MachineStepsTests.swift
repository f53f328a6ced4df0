import LuaRuntime
import StateCharts
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// Microsteps of machines, as they are recorded for coverage and reports.
@Suite struct MachineStepsTests {
  private static let player = """
    state {}
    for _, name in ipairs { "power", "play", "mute", "look" } do action[name] {} end
    machine.player {
      initial = "off",
      off = { power = "on" },
      on = {
        power = "off", look = true, parallel = { "transport", "sound" },
        transport = { initial = "stopped", stopped = { play = "playing" }, playing = {} },
        sound = { initial = "audible", audible = { mute = "muted" }, muted = {} },
      },
    }
    """

  /// Each as `transition's trigger source: entered`.
  private func steps(_ source: String, _ actions: [String], notes: Bool = true) throws -> [String] {
    let engine = try Engine(LoadedFlow(source: source), limits: Limits(), log: ScriptLog { _ in })
    engine.observers.recordsMicrosteps = notes
    var told: [String] = []
    engine.observers.commitHandler = { [unowned engine] commit in
      for step in engine.latestSteps {
        let machine = engine.flow.machines[step.machine]
        let states = machine.chart.states
        for number in step.transitions {
          let transition = machine.compiled.transition(number)
          let name =
            if case .action(let name) = transition.trigger { name } else { "\(transition.trigger)" }
          told.append(
            "#\(commit.revision) \(states[Int(transition.source)].path) -\(name)-> "
              + step.entered.map { states[Int($0)].path }.joined(separator: ", "))
        }
      }
    }
    for action in actions { _ = engine.dispatch(action, [:]) }
    return told
  }

  @Test("the transitions that a commit took are recorded, including internal ones")
  func transitions() throws {
    #expect(
      try steps(Self.player, ["power", "play", "look", "play"]) == [
        "#1 off -power-> on, on.transport, on.transport.stopped, on.sound, on.sound.audible",
        "#2 on.transport.stopped -play-> on.transport.playing",
        "#3 on -look-> ",
      ])
  }

  @Test("the transitions of a flat machine are recorded too")
  func flat() throws {
    let door = """
      state {}
      action.open {} action.close {}
      machine.door { initial = "closed", closed = { open = "opened" }, opened = { close = "closed" } }
      """
    #expect(
      try steps(door, ["open", "open", "close"]) == [
        "#1 closed -open-> opened", "#2 opened -close-> closed",
      ])
  }

  @Test("no transitions are recorded without a request")
  func nobody() throws {
    #expect(try steps(Self.player, ["power"], notes: false) == [])
  }
}
