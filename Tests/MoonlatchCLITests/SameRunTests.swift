import Testing

@Suite struct SameRunTests {
  private static let flow = """
    state { n = 0, names = map {}, drawn = list {} }
    action.draw { name = string }
    action.fail {}
    function reduce.draw(s, a)
      s.names[a.name] = (s.names[a.name] or 0) + random(1000)
      s.drawn[#s.drawn + 1] = { at = now(), roll = random() }
      local order = {}
      for name in pairs(s.names) do order[#order + 1] = name end
      print(table.concat(order, " "), tostring(order), tostring(print))
      s.n = s.n + 1
    end
    function reduce.fail(s)
      local t = {}
      for i = 1, 20000 do t["key" .. i] = {} t[#t + 1] = i end
      error("no " .. #t)
    end
    """

  @Test("20 fresh processes print the same, byte for byte, for the same flow and inputs")
  func twentyProcesses() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.flow, to: "flow.lua")
    var input = ""
    for name in ["pear", "apple", "fig", "plum", "apple", "cherry"] {
      input += "draw { name = \"\(name)\" }\ns.names\ns.drawn\n"
    }
    input += "fail\ndraw { name = \"last\" }\ns\n"
    let first = try moonlatch("repl", "flow.lua", "--keep-going", in: folder, input: input)
    #expect(first.output.contains("last"))
    for _ in 1..<20 {
      let again = try moonlatch("repl", "flow.lua", "--keep-going", in: folder, input: input)
      #expect(again == first)
    }
  }
}
