@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage
import LuaRuntime
import StateCharts
import Testing

/// Charts that use all words of the language.
@Suite struct MachineExamplesTests {
  @Test("regions of a machine have their own fields, and states keep their order")
  func crossing() throws {
    let machine = try readMachine(ExampleMachines.crossing)
    #expect(
      machine.regions == [
        "crossing: crossing", "on.cars: cars", "on.walkers: walkers",
      ])
    #expect(
      machine.chart.states.map(\.path) == [
        "", "off", "on", "on.cars", "on.cars.green", "on.cars.green.fresh", "on.cars.green.ripe",
        "on.cars.red", "on.cars.yellow", "on.walkers", "on.walkers.stop", "on.walkers.waiting",
        "on.walkers.walk",
      ])
    #expect(
      machine.chart.states.map(\.last) == [12, 1, 12, 8, 6, 5, 6, 7, 8, 12, 10, 11, 12])
    #expect(
      machine.chart.states.map(\.region) == [0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2])
    #expect(
      machine.transitions(of: "on.cars.green.ripe") == ["always inner to on.cars.yellow when"])
    #expect(
      machine.transitions(of: "on.walkers.waiting") == [
        "push stays", "always inner to on.walkers.walk when",
      ])
    #expect(machine.chart.states[4].timers.map(\.due) == [.action("ripen")])
    #expect(machine.takers.keys.sorted() == ["power", "push", "ripen", "tick"])
  }

  @Test("a machine per record has the path of its records, and its wildcard covers all states")
  func lobby() throws {
    let loaded = try LoadedFlow(source: ExampleMachines.lobby)
    #expect(loaded.flow.machines.map(\.isFlat) == [false, false])
    let stage = loaded.flow.machines[1]
    #expect(
      stage.records
        == Machine.Records(
          path: ["players"], field: "stage", which: ["id"], whichIn: [:], without: []))
    #expect(
      stage.transitions(of: "waiting") == [
        "finish inner to waiting *", "ready inner to ready", "start forbids because not ready",
      ])
    #expect(
      stage.transitions(of: "playing") == [
        "finish inner to waiting *", "hit inner to out when", "hit stays reduce",
      ])
    #expect(stage.regions == ["stage: stage"])
  }

  @Test("on_done of a parallel state and reducers of transitions are read")
  func approval() throws {
    let machine = try readMachine(ExampleMachines.approval)
    #expect(
      machine.transitions(of: "review") == [
        "reject inner to draft reduce", "withdraw inner to draft", "on_done inner to published",
      ])
    #expect(
      machine.transitions(of: "review.legal.asked") == ["approve inner to review.legal.agreed when"]
    )
    #expect(
      machine.chart.states.filter { $0.kind == .final }.map(\.path) == [
        "published", "review.legal.agreed", "review.finance.agreed",
      ])
  }

  @Test("history is declared at the transition")
  func player() throws {
    let machine = try readMachine(ExampleMachines.player)
    #expect(machine.transitions(of: "off") == ["power inner to on history deep"])
    #expect(
      machine.transitions(of: "on.transport.paused") == [
        "play inner to on.transport.playing history shallow",
        "stop inner to on.transport.stopped",
      ])
    #expect(machine.functions.isEmpty)
  }

  @Test("a path is resolved in the state, then beside it, then further out")
  func tcp() throws {
    let machine = try readMachine(ExampleMachines.tcp)
    #expect(machine.transitions(of: "") == ["reset inner to closed"])
    #expect(
      machine.transitions(of: "closed") == [
        "connect inner to opening.syn_sent", "listen inner to opening.listen",
      ])
    #expect(
      machine.transitions(of: "closing.fin_wait_1") == [
        "ack inner to closing.fin_wait_2", "fin inner to closing.closing",
      ])
    #expect(
      machine.transitions(of: "closing.time_wait").contains("fin reenters to closing.time_wait"))
    let established = try #require(machine.number(of: "established"))
    #expect(machine.chart.states[Int(established)].effect != nil)
    #expect(machine.functions.map(\.name) == ["effect"])
  }

  @Test("a host starts a nested machine in its initial state")
  func runs() throws {
    let host = try FlowHost(LoadedFlow(source: ExampleMachines.tcp))
    #expect(try host.machine("tcp") == "closed")
  }

  @Test(
    "every function of a machine has a negative reference after the flow has started",
    arguments: [
      ExampleMachines.crossing, ExampleMachines.lobby, ExampleMachines.approval,
      ExampleMachines.player, ExampleMachines.tcp,
    ])
  func kept(source: String) throws {
    let loaded = try LoadedFlow(source: source)
    try loaded.start(in: LuaVM(limits: Limits()), limits: Limits())
    for function in loaded.flow.machines.flatMap(\.functions) {
      #expect(function.reference.number < 0)
    }
  }

  @Test("a flat machine is described by its states")
  func flat() throws {
    let machine = try readMachine(
      """
      state {} action.open {} action.close {} action.reset {}
      machine.door {
        initial = "closed",
        closed = { open = { { to = "opened", when = function(s) return true end }, "closed" } },
        opened = { close = "closed", after = { close = "1h30m" }, on_enter = function(s) end },
        gone = { final = true },
        ["*"] = { reset = "gone" },
      }
      """)
    #expect(machine.isFlat)
    #expect(machine.states.map(\.name) == ["closed", "gone", "opened"])
    #expect(machine.initial == 0)
    let closed = machine.states[0]
    #expect(closed.transitions.keys.sorted() == ["open", "reset"])
    #expect(closed.transitions["open"]?.map(\.state) == [2, 0])
    #expect(closed.transitions["open"]?.map { $0.guardRule != nil } == [true, false])
    #expect(machine.states[2].onEnter != nil)
    guard case .seconds(5400)? = machine.states[2].timers.first?.time else {
      Issue.record("the delay is 5,400 seconds")
      return
    }
  }
}
