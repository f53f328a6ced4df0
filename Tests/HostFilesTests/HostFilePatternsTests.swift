import FlowLanguage
import LuaRuntime
import Testing

@testable import HostFiles

/// The patterns of types in host files.
@Suite(.timeLimit(.minutes(5))) struct HostFilePatternsTests {
  @Test("a text matches a Lua pattern or does not, and a pattern with an error matches nothing")
  func matches() {
    let patterns = HostFilePatterns(Limits())
    for _ in 0..<3 {
      #expect(patterns.matches("EUR", "^%u%u%u$"))
      #expect(!patterns.matches("eur", "^%u%u%u$"))
      #expect(!patterns.matches("EUR", "[%"))
    }
  }

  @Test("many calls at once get their own answers, and none waits for another")
  func concurrent() async {
    let patterns = HostFilePatterns(Limits())
    let right = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          patterns.matches("\(number)", "^\(number)$") && !patterns.matches("x", "^\(number)$")
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(right)
  }

  @Test("a VM without memory matches nothing")
  func noMemory() {
    #expect(!HostFilePatterns(Limits(memory: 1_000)).matches("a", "a"))
  }
}
