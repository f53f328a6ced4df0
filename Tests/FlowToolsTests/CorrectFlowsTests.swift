import FlowKernel
import Testing

@testable import FlowTools

/// Random correct flows and scenarios, written in many styles.
@Suite struct CorrectFlowsTests {
  @Test("correct flows and scenarios have no findings", arguments: 0..<25)
  func silent(seed: UInt64) throws {
    for number in 0..<20 {
      var maker = CorrectFlow(seed: seed * 1_000 + UInt64(number))
      let flow = maker.flow()
      let loaded = try LoadedFlow(source: flow, name: "f.lua")
      let text = FlowText(loaded)
      let (found, fault) = FlowCheck(text: text, viewsReadOutside: nil).run()
      let named = found.filter(\.isOfTrees).map(\.description)
      #expect(named == [])
      #expect(fault == nil, "\(flow)")
      let scenario = maker.scenario()
      let source = ScenarioSource(LuaSource(name: "f.scenario.lua", text: scenario))
      #expect(source.findings(for: text).map(\.description) == [], "\(flow)\n\(scenario)")
    }
  }
}

/// A correct flow, assembled from parts that are each written in one of several styles.
struct CorrectFlow {
  private var random: SeededGenerator
  private var fields: [Field] = []
  private var states: [String] = []

  private struct Field {
    let name: String
    let kind: Int
    let choices: [String]
  }

  private static let names = [
    "items", "orders", "people", "total", "title", "status", "mood", "address", "note", "level",
    "points", "scores", "visits", "limit", "owner",
  ]
  private static let words = ["new", "sent", "lost", "open", "shut", "idle", "busy", "done"]

  init(seed: UInt64) { random = SeededGenerator(seed) }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func pick(_ texts: [String]) -> String { texts[pick(texts.count)] }

  mutating func flow() -> String {
    let names = CorrectFlow.names.shuffled(using: &random).prefix(3 + pick(5))
    fields = names.map { name in
      Field(
        name: name, kind: pick(9),
        choices: Array(CorrectFlow.words.shuffled(using: &random).prefix(3)))
    }
    states = Array(CorrectFlow.words.shuffled(using: &random).prefix(3))
    var text = "state {\n" + fields.map { "  \($0.name) = \(type($0)),\n" }.joined() + "}\n"
    text +=
      "action.go { by = integer { min = 1, max = 9 }, who = string, why = optional(string) }\n"
    text += "action.back {}\ninternal.told { sum = number, ok = boolean }\n"
    text += machine()
    text +=
      "local function tell(s, text, n)\n  print(text, n + 1)\n  return #text > n and s ~= nil\nend\n"
    text += "function gate.go(s, a)\n" + rule() + "end\n"
    text +=
      "function reduce.go(s, a)\n" + fields.map { write($0) }.joined()
      + "  tell(s, a.who, a.by)\nend\n"
    text += "function reduce.told(s, a)\n  if a.ok then tell(s, \"told\", a.sum) end\nend\n"
    text += effect()
    text +=
      "function view.all(s) return { \(fields[0].name) = s.\(fields[0].name), at = s.machine } end\n"
    text +=
      "function view.one(s)\n" + fields.map { read($0) }.joined() + "  return s.machine\nend\n"
    return text
  }

  private func type(_ field: Field) -> String {
    switch field.kind {
    case 0: "integer { min = 0, max = 1000, default = 3 }"
    case 1: "number { default = 1 }"
    case 2: "string { max_length = 50, default = \"\" }"
    case 3: "one_of { \(quoted(field.choices)), default = \"\(field.choices[0])\" }"
    case 4:
      "list_of { { name = string, qty = integer { default = 1 }, tag = optional(string) }, max_length = 9 }"
    case 5: "map_of { { lives = integer { default = 3 }, tags = list_of(string) }, key = string }"
    case 6: "optional { street = string, number = integer }"
    case 7: "list {}"
    default: "{ text = \"\(field.choices[0])\", deep = { n = 0 } }"
    }
  }

  private func quoted(_ texts: [String]) -> String {
    texts.map { "\"\($0)\"" }.joined(separator: ", ")
  }

  private mutating func machine() -> String {
    let timer = pick(2) == 0 ? " after = { back = 5 }," : ""
    return """
      machine.machine {
        initial = "\(states[0])",
        \(states[0]) = { go = "\(states[1])", told = true },
        \(states[1]) = { go = { to = "\(states[2])", when = function(s, a) return a.by > 1 and s ~= nil, "few" end }, back = "\(states[0])", told = true,\(timer) },
        \(states[2]) = { back = "\(states[0])", told = true },
      }

      """
  }

  private mutating func rule() -> String {
    switch pick(4) {
    case 0: "  return s.machine ~= \"\(states[2])\", \"not now\"\n"
    case 1:
      "  if a.by > 8 and a.why == nil then return false, \"too many\" end\n  return in_state(s, \"machine.\(states[0])\") or in_state(s, \"machine.\(states[1])\")\n"
    case 2: "  local text = a.why or a.who\n  return #text > 0 and not (a.by == 7), text .. \"!\"\n"
    default: "  if a.who:lower() == \"ann\" then error(\"not her\") else return true end\n"
    }
  }

  private mutating func write(_ field: Field) -> String {
    let place = "s.\(field.name)"
    switch (field.kind, pick(2)) {
    case (0, 0): return "  \(place) = \(place) + a.by\n"
    case (0, _): return "  \(place) = math.floor(\(place) / 2) + \(place) // 2\n"
    case (1, 0): return "  \(place) = \(place) / 2 + now()\n"
    case (1, _): return "  \(place) = math.max(\(place), a.by) ^ 0.5\n"
    case (2, _): return "  \(place) = string.format(\"%s (%d)\", a.who:upper(), a.by)\n"
    case (3, 0):
      return
        "  \(place) = \(place) == \"\(field.choices[0])\" and \"\(field.choices[1])\" or \"\(field.choices[2])\"\n"
    case (3, _):
      return
        "  if \(place) ~= \"\(field.choices[1])\" then \(place) = \"\(field.choices[0])\" end\n"
    case (4, 0):
      return
        "  table.insert(\(place), { name = a.who, qty = a.by })\n  for i, it in ipairs(\(place)) do it.qty = it.qty + i if it.tag then it.tag = it.tag .. \"x\" end end\n"
    case (4, _):
      return
        "  local \(field.name) = \(place)\n  \(field.name)[#\(field.name) + 1] = { name = \"x\", tag = a.why }\n  if #\(field.name) > 8 then table.remove(\(field.name), 1) end\n"
    case (5, 0):
      return
        "  \(place)[a.who] = \(place)[a.who] or { lives = 2 }\n  for id, one in pairs(\(place)) do if one.lives == 0 then \(place)[id] = nil end end\n"
    case (5, _):
      return
        "  local one = \(place)[a.who]\n  if one then one.lives = one.lives - 1 table.insert(one.tags, a.who) end\n  \(place).ann = none\n"
    case (6, 0):
      return
        "  \(place) = { street = a.who, number = a.by }\n  \(place).number = \(place).number + 1\n"
    case (6, _):
      return
        "  if \(place) then \(place).street = \(place).street .. a.who end\n  if a.by == 2 then \(place) = nil end\n"
    case (7, 0):
      return
        "  table.insert(\(place), { anything = a.by, at = now() })\n  local last = \(place)[#\(place)]\n  last.more = last.anything\n"
    case (7, _):
      return
        "  for i = #\(place), 1, -1 do if \(place)[i] == a.by then table.remove(\(place), i) end end\n"
    default:
      return
        "  local deep = \(place).deep\n  deep.n = deep.n + 1\n  \(place).text = \"\(field.choices[1])\"\n  if \(place).text == \"\(field.choices[0])\" then deep.n = 0 end\n"
    }
  }

  private func read(_ field: Field) -> String {
    let place = "s.\(field.name)"
    return switch field.kind {
    case 4:
      "  for _, it in ipairs(\(place)) do print(it.name .. \" \" .. it.qty, it.tag or \"\") end\n"
    case 5: "  for id, one in pairs(\(place)) do print(id, one.lives * 2, #one.tags) end\n"
    case 6: "  print(\(place) and \(place).street or \"nowhere\")\n"
    case 8: "  print(\(place).text .. \(place).deep.n)\n"
    default: "  print(\(place))\n"
    }
  }

  private mutating func effect() -> String {
    let run =
      "function(self, a)\n  local got = self:fetch(a.who)\n  if got then sleep(\"1m\") end\n"
      + "  dispatch.told { sum = a.by / 2, ok = got ~= nil }\n  after(5, \"told\", { sum = 1, ok = view.all().at == \"\(states[0])\" })\n"
    return pick(2) == 0
      ? "function effect.go\(run.dropFirst(8))end\n"
      : "effect.go = { run = \(run)  return { sum = 0, ok = false }\nend, on_done = \"told\" }\n"
  }

  mutating func scenario() -> String {
    """
    flow "f.lua"
    local function start(by) pass.go { by = by, who = "ann" } end
    scenario("it goes", function()
      stub("root.fetch", function(who) return who end)
      start(\(1 + pick(9)))
      expect { machine = "\(states[1])" }
      expect.machine.machine("\(states[1])")
      refuse.go { by = 1, who = "x", why = "y" }:by("machine machine")
      pass.back()
      inside.told { sum = 1.5, ok = true }
      expect.view.one("\(states[0])")
      if view.all().at == "\(states[0])" then advance("1m") end
      local outcome = dispatch("back", {})
      expect.equal(outcome.kind, one_of { "passed", "refused" })
      fail.go { by = 0 }
    end)
    """
  }
}
