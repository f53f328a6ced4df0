import Testing

@testable import FlowLanguage

@Suite struct DeclarationLinesTests {
  private let lines = DeclarationLines([
    FlowSources.Source(
      name: "f.lua",
      text: """
        -- machine.m { go = 1 } in a comment, and in a string:
        local text = "machine.m { a = 2 }"
        machine.m
        {
          a = { go = [[ b = {
            go = 1 } ]], on_enter = function(s)
              for n = 1, 2 do if n then local t = { c = n, } end end
              repeat local done = true until done
              while false do end
            end,
            go = list {
              "x", { to = "y" },
              [7] = "z" },
          };
          ["b c"] = f { a = 1 }, [1 + 1] = { d = 1 },
          [ [=[d]=] ] = (function() return { go = 2 } end)(), go = goto_it,
          { 1, 2,
            3 },
        }
        state { n = 1,
          m = {} } state { k = 2 }
        """)
  ])

  private func line(_ path: DeclarationLines.Path, _ word: String = "machine", at line: Int = 3)
    -> Int
  {
    lines.place(
      of: path, in: word, named: word == "machine" ? "m" : nil,
      at: SourcePlace(file: "f.lua", line: line)
    ).line
  }

  @Test("a key is found by its path, past functions, strings and comments, the last of duplicates")
  func keys() {
    #expect(line([.field("a")]) == 5)
    #expect(line([.field("a"), .field("go")]) == 11)
    #expect(line([.field("a"), .field("on_enter")]) == 6)
    #expect(line([.field("a"), .field("go"), .index(1)]) == 12)
    #expect(line([.field("a"), .field("go"), .index(2), .field("to")]) == 12)
    #expect(line([.field("a"), .field("go"), .index(7)]) == 13)
    #expect(line([.field("b c")]) == 15)
    #expect(line([.field("d")]) == 16)
    #expect(line([.index(1), .index(3)]) == 18)
    // A transition without a list is its only element.
    #expect(line([.field("b c"), .index(1)]) == 15)
    #expect(line([.index(1), .index(1), .index(3)]) == 17)
    #expect(line([.field("n")], "state", at: 20) == 20)
    #expect(line([.field("m")], "state", at: 20) == 21)
  }

  @Test("a path that is not in the text has the line of its nearest known ancestor")
  func unknown() {
    #expect(line([.field("a"), .field("back"), .index(1)]) == 5)
    #expect(line([.field("b c"), .field("a")]) == 15)
    #expect(line([.field("nowhere")]) == 3)
    #expect(line([]) == 3)
    #expect(line([.field("a")], at: 40) == 40)
    let elsewhere = SourcePlace(file: "g.lua", line: 8)
    #expect(lines.place(of: [.field("a")], in: "machine", named: "m", at: elsewhere) == elsewhere)
  }

  @Test("of several paths the first that is completely in the text is used")
  func first() {
    let place = SourcePlace(file: "f.lua", line: 3)
    let paths: [DeclarationLines.Path] = [
      [.field("b c"), .field("go")], [.field("a"), .field("go")], [.field("go")],
    ]
    #expect(lines.place(ofFirst: paths, in: "machine", named: "m", at: place).line == 11)
    #expect(
      lines.place(ofFirst: [[.field("x")]], in: "machine", named: "m", at: place).line == 3)
  }

  @Test(
    "a text that is not valid Lua is read to its end",
    arguments: [
      "machine.m {", "machine.m { a = ", "machine.m { ) a = 1 }", "machine.m { [",
      "machine.m { a = ] }",
      "machine", "machine.", "machine.m", "machine[", "machine.m { end end, a = 1 }",
    ])
  func malformed(text: String) {
    let lines = DeclarationLines([FlowSources.Source(name: "f.lua", text: text)])
    let place = SourcePlace(file: "f.lua", line: 1)
    #expect(lines.place(of: [.field("a")], in: "machine", named: "m", at: place).line == 1)
  }
}
