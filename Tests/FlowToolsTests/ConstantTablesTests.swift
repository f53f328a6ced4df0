import FlowKernel
import Testing

@testable import FlowTools

/// Findings about tables of constants.
@Suite struct ConstantTablesTests {
  private func findings(_ body: String) throws -> [String] {
    let source = """
      local FEE = { adult = 20, child = 5 }
      local programs = {
        cotton = { price = 450, degrees = 60, soft = true },
        wool = { price = 500, degrees = 30 },
      }
      state { n = 0, kind = one_of { "adult", "child", default = "adult" } }
      action.go { name = one_of { "cotton", "wool" } }
      local function chosen(name) return programs[name] end
      \(body)
      """
    let loaded = try LoadedFlow(source: source, name: "f.lua")
    return try FlowCheck(text: FlowText(loaded), viewsReadOutside: nil).findings()
      .filter { $0.kind != .unusedLocal }.map(\.description)
  }

  @Test(
    "a field that no constant has, and a number that is indexed, are reported",
    arguments: [
      ("programs[a.name].temperature", "programs[...] has no field temperature [unknown-field]"),
      (
        "chosen(a.name).prise",
        "programs[...] has no field prise; did you mean price? [unknown-field]"
      ),
      ("programs.coton.price", "programs has no field coton; did you mean cotton? [unknown-field]"),
      ("FEE[s.kind].cents", "a number has no fields [wrong-kind]"),
      (
        "programs.wool",
        "programs.wool is a table, and cannot be used in a calculation [wrong-kind]"
      ),
    ])
  func wrong(value: String, message: String) throws {
    let found = try findings("function reduce.go(s, a) s.n = s.n + \(value) end")
    #expect(found == ["f.lua:9: warning: \(message)"])
  }

  @Test(
    "fields that some constants have, and tables that the file changes or passes on, are not",
    arguments: [
      "function reduce.go(s, a) if programs[a.name].soft then s.n = FEE[s.kind] end end",
      "for name, one in pairs(programs) do one.title = name end\n"
        + "function reduce.go(s, a) print(chosen(a.name).title) end",
      "for name in pairs(programs) do FEE[name] = 1 end\n"
        + "function reduce.go(s, a) s.n = FEE.wool end",
      "local function fill(one) one.cost = 1 end fill(programs.wool)\n"
        + "function reduce.go(s, a) s.n = programs[a.name].cost end",
      "local calls = { go = function(s) s.n = 1 end }\n"
        + "function reduce.go(s, a) if calls[a.name] ~= nil then calls.go(s) end end",
      "local limits = { most = 3 }\n"
        + "function reduce.go(s) if limits.most and s.n < limits.most then s.n = s.n + 1 end end",
      "local both = { FEE, programs } print(#both)\n"
        + "function reduce.go(s) s.n = FEE.senior or 1 end",
    ])
  func right(body: String) throws { #expect(try findings(body) == []) }
}
