import StateCharts
import Testing

@testable import RandomCharts

@Suite("The example charts")
struct ExampleTests {
  @Test("a crossing: regions that read each other change one after the other, in microsteps")
  func crossing() {
    let walk = Walk(Example.crossing)
    walk.looks = [
      1: { $0["walkers"] == "waiting" }, 2: { $0["cars"] == "red" }, 3: { $0["cars"] != "red" },
    ]
    #expect(walk.fields == ["crossing": "on", "cars": "green.fresh", "walkers": "stop"])
    #expect(walk.play("ripen") && !walk.round())
    #expect(walk.play("push"))
    #expect(walk.moved == ["walkers"])
    #expect(walk.round() && walk.fields["cars"] == "yellow" && !walk.round())
    #expect(walk.play("push") && walk.left.isEmpty)
    #expect(walk.play("tick") && walk.fields["cars"] == "red")
    #expect(walk.round() && walk.fields["walkers"] == "walk" && !walk.round())
    #expect(walk.play("tick") && walk.entered == ["on.cars.green", "on.cars.green.fresh"])
    #expect(walk.round() && walk.fields["walkers"] == "stop" && !walk.round())
  }

  @Test("a region that is not active has no value")
  func off() {
    let walk = Walk(Example.crossing)
    #expect(walk.play("power") && walk.fields == ["crossing": "off"])
    #expect(
      walk.left == [
        "on.walkers.stop", "on.walkers", "on.cars.green.fresh", "on.cars.green", "on.cars", "on",
      ])
    #expect(walk.moved == ["crossing", "cars", "walkers"])
    #expect(walk.play("power") && walk.entered.first == "on" && walk.entered.count == 6)
  }

  @Test("a lobby: the leaves of a flat chart are its states, in order")
  func lobby() {
    let walk = Walk(Example.lobby)
    #expect(Array(walk.chart.leafStates) == [1, 2])
    #expect(!walk.play("finish") && walk.refusing.isEmpty && walk.asked.isEmpty)
    #expect(!walk.play("start") && walk.refusing == ["open"] && walk.asked == [1])
    #expect(walk.play("join") && walk.interpreter.changes.isEmpty)
    walk.agreeing = [1]
    #expect(walk.play("start") && walk.fields == ["lobby": "running"])
    #expect(!walk.play("join") && walk.play("finish") && walk.fields == ["lobby": "open"])
  }

  @Test("an approval: one region is enough, and the other region's refusal is recorded")
  func approval() {
    let walk = Walk(Example.document)
    #expect(walk.play("submit"))
    walk.agreeing = [1]
    #expect(walk.play("approve") && walk.moved == ["legal"])
    #expect(walk.refusing == ["review.finance.asked"] && walk.asked == [1, 2])
    #expect(!walk.round())
    #expect(!walk.play("approve") && walk.asked == [2])
    walk.agreeing = [2]
    #expect(walk.play("approve") && walk.fields["finance"] == "agreed")
    #expect(walk.round() && walk.fields == ["document": "published"])
    #expect(walk.taken == ["review"] && !walk.round())
  }

  @Test("an approval: an event that no region takes is refused, with each region's reason in order")
  func noApproval() {
    let walk = Walk(Example.document)
    #expect(walk.play("submit") && !walk.play("approve"))
    #expect(walk.refusing == ["review.legal.asked", "review.finance.asked"])
    #expect(walk.play("withdraw") && walk.taken == ["review"])
    #expect(walk.fields == ["document": "draft"])
  }

  @Test("a player: deep history restores all substates, and shallow history the child")
  func player() {
    let walk = Walk(Example.player)
    #expect(walk.play("power"))
    #expect(walk.fields == ["player": "on", "transport": "stopped", "sound": "audible"])
    #expect(walk.play("play") && walk.play("faster") && walk.play("mute"))
    #expect(walk.play("power") && walk.play("power"))
    #expect(walk.fields == ["player": "on", "transport": "playing.fast", "sound": "muted"])
    #expect(
      walk.play("pause") && walk.left == ["on.transport.playing.fast", "on.transport.playing"])
    #expect(walk.play("play") && walk.fields["transport"] == "playing.fast")
    #expect(walk.play("stop") && walk.play("play") && walk.fields["transport"] == "playing.normal")
  }

  @Test("a connection: transitions of ancestors apply inside, and a substate takes precedence")
  func tcp() {
    let walk = Walk(Example.tcp)
    #expect(walk.play("listen") && walk.entered == ["opening", "opening.listen"])
    #expect(walk.play("time_out") && walk.taken == ["opening.listen"] && walk.left.isEmpty)
    #expect(walk.play("syn") && walk.left == ["opening.listen"])
    #expect(walk.entered == ["opening.syn_received"])
    #expect(walk.play("close") && walk.fields == ["tcp": "closing.fin_wait_1"])
    #expect(walk.play("fin") && walk.fields == ["tcp": "closing.closing"])
    #expect(walk.play("ack") && walk.play("fin") && walk.entered == ["closing.time_wait"])
    #expect(walk.left == ["closing.time_wait"] && walk.interpreter.changes.isEmpty)
    #expect(walk.play("reset") && walk.fields == ["tcp": "closed"] && walk.play("reset"))
    #expect(walk.left.isEmpty)
  }
}
