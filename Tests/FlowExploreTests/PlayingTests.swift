import FlowExplore
import FlowKernel
import Testing

/// Actions that are executed in each state, since too much would have to be learned about them.
@Suite("Executed actions")
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

  @Test("sessions of a document leave nothing in later states, learned or executed")
  func sessions() throws {
    let document = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="lua" name="x">
      <datamodel><data id="n" expr="0"/></datamodel>
      <state id="s"><transition event="start" cond="n &lt; 3" target="r"/></state>
      <state id="r"><transition event="done.invoke.k" target="t"/><transition event="stop" target="s"/>
      <invoke id="k"><content><scxml version="1.0" datamodel="lua" name="k"><datamodel><data id="g" expr="2"/></datamodel>
      <state id="a"><onentry><send event="tick" delay="1s"/></onentry><transition event="tick" target="b"/></state>
      <final id="b"/></scxml></content></invoke></state>
      <state id="t"><onentry><send event="over" id="over" delay="1s"/></onentry><onexit><cancel sendid="over"/></onexit>
      <transition event="over" target="s"><assign location="n" expr="n + 1"/></transition></state></scxml>
      """
    let flow = try LoadedFlow(source: document, name: "x.scxml")
    for limit in [nil, 2] {
      var exploration = try Exploration(flow)
      exploration.playsAfter = limit ?? exploration.playsAfter
      let report = try exploration.run()
      #expect(report.states == 10, "\(report.text("it"))")
      #expect(report.dead == [], "\(report.text("it"))")
    }
  }

  @Test("execution gives the same report as learning")
  func same() throws {
    let flow = try LoadedFlow(source: PlayingTests.flow)
    let plain = try ReferenceSearch(try Exploration(flow), most: 3_000)
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

  /// Reducers that look at everything and write all kinds of things: what they do is made, not learned.
  private static let shuffling = """
    state {
      cells = { 1, 2, 3 },
      queue = list_of { name = string, at = integer },
      names = map_of { string, key = integer },
      last  = optional(string),
      open  = map {},
    }
    action.turn { by = integer { min = 1, max = 2 } }
    action.enter {}
    action.leave {}
    action.name { at = integer { min = 2, max = 2 } }
    action.wait {}
    internal.due {}
    gatekeeper.busy { wait = { attempt = "waiting" }, due = { reset = "waiting" } }
    function gate.enter(s) return #s.queue < 2, "it is full" end
    function gate.leave(s) return #s.queue > 0, "it is empty" end
    function reduce.turn(s, a)
      local all = {}
      for i, cell in ipairs(s.cells) do all[(i + a.by - 1) % #s.cells + 1] = cell end
      for i, cell in ipairs(all) do s.cells[i] = cell end
    end
    function reduce.enter(s)
      table.insert(s.queue, { name = "n" .. s.cells[1] % 2, at = s.cells[2] % 2 })
      s.last = s.queue[#s.queue].name
    end
    function reduce.leave(s)
      local first = table.remove(s.queue, 1)
      s.last = nil
      s.open[first.name] = not s.open[first.name] or nil
    end
    function reduce.name(s, a)
      if s.names[a.at] then s.names[a.at] = nil elseif #s.queue > 0 then s.names[a.at] = s.queue[1].name end
    end
    function gate.name(s) return s.cells[1] == 1, "not now" end
    function effect.wait() after(5, "due") end
    function invariant.short(s) return #s.queue <= 2 and #s.cells == 3 end
    """

  @Test(
    "execution gives the same report if whole transitions are executed and properties evaluated")
  func whole() throws {
    let flow = try LoadedFlow(source: PlayingTests.shuffling)
    let said = """
      explore("it", { within = function(s) return #s.queue + #s.cells < 5 end }, function()
        always("cells stay", function(s) return s.cells[1] + s.cells[2] + s.cells[3] == 6 end)
        sometimes("one waits", function(s) return #s.queue == 1 end)
        step("one at a time", function(b, a) return math.abs(#b.queue - #a.queue) <= 1 end)
        never("three first, who waits", function(s) return s.cells[1] == 3 and #s.queue == 1 and s.names[2] ~= nil end)
      end)
      """
    let explored = try Explored(PlayingTests.shuffling, said)
    for jobs in [1, 2] {
      var exploration = try #require(try explored.explorations().first)
      exploration.jobs = jobs
      exploration.playsAfter = .max
      let learned = try exploration.run()
      exploration.playsAfter = 2
      let played = try exploration.run()
      #expect(learned.played == 0 && played.played > 5)
      #expect(learned.states > 200)
      #expect(played.text("it") == learned.text("it"))
    }
    let plain = try ReferenceSearch(try Exploration(flow), most: 20_000)
    var exploration = try Exploration(flow)
    exploration.playsAfter = 2
    let played = try exploration.run()
    #expect(plain.isWhole)
    #expect(played.states == plain.states)
    #expect(played.transitions == plain.transitions)
  }
}
