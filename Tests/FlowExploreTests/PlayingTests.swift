import FlowExplore
import LuaRuntime
import Moonlatch
import Testing

/// Actions that are played, since too much would have to be learned of them.
@Suite("Playing")
struct PlayingTests {
  /// Gates that look at everything, a machine that has a say, a keeper, and chance.
  private static let flow = """
    state { counts = list { 0, 0 }, drawn = 0 }
    local I = integer { min = 1, max = 2 }
    local function sum(s) return s.counts[1] + s.counts[2] + s.drawn end
    action.more { i = I }
    action.less { i = I }
    action.turn {}
    action.draw {}
    gatekeeper.key { more = { unless = "shut" }, turn = { reset = "shut" }, draw = { attempt = "shut" } }
    function gate.more(s) return sum(s) < 4, "there are enough" end
    function gate.less(s, a) return sum(s) > 0 and s.counts[a.i] > 0, "there is none" end
    function reduce.more(s, a) s.counts[a.i] = s.counts[a.i] + 1 end
    function reduce.less(s, a) s.counts[a.i] = s.counts[a.i] - 1 end
    machine.light {
      initial = "red",
      red     = { turn = { { to = "green", when = function(s) return sum(s) % 2 == 0 end }, { to = "blue" } } },
      green   = { turn = { to = "red", reduce = function(s) s.drawn = 0 end } },
      blue    = { turn = "red" },
    }
    function gate.draw(s) return sum(s) < 4, "there are enough" end
    function reduce.draw(s) s.drawn = random(0, 2) end
    function invariant.few(s) return sum(s) < 6 end
    """

  @Test("comes to the same as learning does")
  func same() throws {
    let flow = try LoadedFlow(source: PlayingTests.flow)
    let plain = try PlainSearch(try Exploration(flow), most: 3_000)
    for jobs in [1, 2] {
      var exploration = try Exploration(flow)
      exploration.jobs = jobs
      let learned = try exploration.run()
      exploration.playsAfter = 10
      let played = try exploration.run()
      #expect(plain.isWhole && plain.states > 100)
      #expect(learned.played == 0 && played.played > 3)
      #expect(played.states == plain.states)
      #expect(played.transitions - played.outside == plain.transitions)
      #expect(played.text("it") == learned.text("it"))
    }
  }
}
