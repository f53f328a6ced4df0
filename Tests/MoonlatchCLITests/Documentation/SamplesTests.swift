import Testing

@Suite struct SamplesTests {
  private func problems(_ text: String) throws -> [String] {
    let page = Page(name: "a.md", text: text)
    let samples = try Samples(page)
    return page.blocks.flatMap { samples.problems(of: $0) }
  }

  @Test("a flow that does not load is reported with the page's line")
  func faults() throws {
    #expect(try problems("```lua\naction.a {}\n```") == [])
    let told = try problems("\n\n```lua\naction.a {}\nfunction reduce.b() end\n```")
    #expect(told.first?.contains("a.md:5") == true)
  }

  @Test("a comment above a block gives its context")
  func preambles() throws {
    #expect(try problems("<!-- with: action.a {} -->\n```lua\nfunction reduce.a() end\n```") == [])
  }

  @Test("scenarios run against the flow that the page named, and must pass")
  func scenarios() throws {
    let flow = "```lua\n-- door.lua\nstate { n = 1 }\n```\n"
    let file = "```lua\nflow \"door.lua\"\nscenario(\"s\", function() expect { n = 1 } end)\n```\n"
    #expect(try problems(flow + file) == [])
    let body = "<!-- in a scenario of door.lua -->\n```lua\nexpect { n = 2 }\n```\n"
    #expect(try problems(flow + body).first?.hasPrefix("a.md:7: ") == true)
  }

  @Test("a block that is not run has a reason, and every block has a language")
  func reasons() throws {
    #expect(try problems("<!-- not run: it is wrong -->\n```lua\nnonsense(\n```") == [])
    #expect(try problems("<!-- not run: -->\n```lua\nnonsense(\n```").count == 1)
    #expect(try problems("```\n$ ls\n```").count == 1)
    #expect(try problems("```swift\nlet nobody = \"has this line\" + \"\"\n```").count == 1)
  }
}
