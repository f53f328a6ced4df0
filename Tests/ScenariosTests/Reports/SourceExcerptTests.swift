import Testing

@testable import Scenarios

@Suite struct SourceExcerptTests {
  private func excerpt(_ text: String, around line: Int) throws -> [String] {
    let folder = try TemporaryFolder()
    try folder.write("state { n = 0 }", to: "flow.lua")
    let url = try folder.write(text, to: "a.scenario.lua")
    return SourceExcerpt(of: try ScenarioFile(url, name: "a.scenario.lua"), around: line).lines
  }

  private let ten = "flow \"flow.lua\"\n" + (2...10).map { "-- \($0)\n" }.joined()

  @Test("a line is shown between its neighbours, with aligned numbers")
  func middle() throws {
    #expect(try excerpt(ten, around: 9) == ["   8 | -- 8", ">  9 | -- 9", "  10 | -- 10"])
  }

  @Test("the first and the last line have one neighbour")
  func ends() throws {
    #expect(try excerpt(ten, around: 1) == ["> 1 | flow \"flow.lua\"", "  2 | -- 2"])
    #expect(try excerpt(ten, around: 10) == ["   9 | -- 9", "> 10 | -- 10"])
  }

  @Test("a line that the file does not have is shown as nothing")
  func outside() throws {
    #expect(try excerpt(ten, around: 0).isEmpty)
    #expect(try excerpt(ten, around: 11).isEmpty)
  }

  @Test("Windows line ends are no part of a line")
  func windows() throws {
    #expect(
      try excerpt("flow \"flow.lua\"\r\n-- 2\r\n", around: 2)
        == ["  1 | flow \"flow.lua\"", "> 2 | -- 2"])
  }
}
