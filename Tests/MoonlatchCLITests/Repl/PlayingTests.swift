import Testing

@testable import MoonlatchCLI

/// Output of the prompt after an input, however many commits follow it.
@Suite struct PlayingTests {
  private let flow = """
    state { n = 0 }
    action.ping { n = integer } action.pong { n = integer } action.full {}
    function reduce.ping(s, a) s.n = a.n end
    function gate.full(s) return s.n > 10, "it is full" end
    function effect.ping(self, a) if a.n > 0 then dispatch.pong { n = a.n - 1 } end end
    function effect.pong(self, a)
      if SPEAKS then print("pong " .. a.n) end
      if a.n > 0 then dispatch.ping { n = a.n - 1 } end
    end
    """

  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init)
  }

  @Test("long chains of dispatches are summarized: the first, the number omitted, the last")
  func pingPong() throws {
    let prompt = try Prompt(flow.replacing("SPEAKS", with: "false"))
    let told = lines(prompt.type("ping { n = 1000 }"))
    #expect(told.count < 100)
    let heads = told.filter { $0.hasPrefix("#") || $0.contains("more") }
    #expect(
      heads == ["#1 ping"]
        + (2...20).map { "#\($0) \($0 % 2 == 0 ? "pong" : "ping") (by #\($0 - 1))" }
        + ["... and 976 more commits (:history lists the latest)"]
        + (997...1001).map { "#\($0) \($0 % 2 == 0 ? "pong" : "ping") (by #\($0 - 1))" })
    #expect(told.first { $0.hasPrefix("  n: 4 -> ") } == "  n: 4 -> 2")
    #expect(prompt.session.revision == 1001)
    // The next input is told from its beginning again.
    #expect(lines(prompt.type("ping { n = 1 }")).first == "#1002 ping")
  }

  @Test("the results of an input are shown in full if there are few")
  func few() throws {
    let prompt = try Prompt(flow.replacing("SPEAKS", with: "true"))
    let told = lines(prompt.type("ping { n = 24 }"))
    #expect(told.count { $0.hasPrefix("#") } == 25)
    #expect(told.count { $0.hasPrefix("| pong") } == 12)
    #expect(!told.contains { $0.contains("more") })
  }

  @Test("output between the transitions of effects is summarized with them, in order")
  func printed() throws {
    let prompt = try Prompt(flow.replacing("SPEAKS", with: "true"))
    let told = lines(prompt.type("ping { n = 1000 }"))
    #expect(told.count < 120)
    #expect(
      told.contains("... and 976 more commits and 488 more lines (:history lists the latest)"))
    #expect(told.suffix(2) == ["  n: 2 -> 0", "  effect.ping starts"])
  }

  @Test("a loop that only prints is shown in full, and one that dispatches is summarized")
  func loops() throws {
    let prompt = try Prompt(flow.replacing("SPEAKS", with: "false"))
    #expect(lines(prompt.type("for n = 1, 300 do print(n) end")).count == 300)
    let told = lines(prompt.type("for n = 1, 300 do ping { n = 0 } full() end"))
    #expect(
      told.contains("... and 275 more commits and 275 more lines (:history lists the latest)"))
    #expect(told.last?.hasPrefix("refused by gate full: it is full") == true)
  }

  @Test("errors of effects are summarized too")
  func complaints() throws {
    let prompt = try Prompt(
      """
      state { n = 0 }
      action.go {}
      function effect.go() error("down", 0) end
      """)
    let told = lines(prompt.type("for n = 1, 300 do go() end"))
    #expect(told.count { $0.contains("effect.go did not finish: ") } == 25)
    #expect(told.contains("... and 275 more errors"))
  }

  @Test("a map with integer keys is shown with all of its keys")
  func maps() throws {
    let prompt = try Prompt(
      """
      state {
        open = map { [1] = "one", [5] = "five" }, typed = map_of { string, key = integer },
        named = map_of(integer), rows = list { "a", "b" },
      }
      action.fill {}
      function reduce.fill(s) s.typed = { [1] = "a", [2] = "b" } s.named.x = 1 end
      action.take { m = map_of { string, key = integer } }
      function reduce.take(s, a) s.typed = a.m end
      """)
    #expect(prompt.type("s.open") == "map { [1] = \"one\", [5] = \"five\" }")
    #expect(prompt.type("s.typed") == "{}")
    prompt.type("fill()")
    #expect(prompt.type("s.typed") == "map { [1] = \"a\", [2] = \"b\" }")
    #expect(prompt.type("s.named") == "{ x = 1 }" && prompt.type("s.rows") == "{ \"a\", \"b\" }")
    prompt.type("take { m = { [7] = \"c\" } }")
    #expect(prompt.type("s.typed") == "map { [7] = \"c\" }")
    #expect(prompt.type("take { m = " + prompt.type("s.typed") + " }").contains("take"))
  }
}
