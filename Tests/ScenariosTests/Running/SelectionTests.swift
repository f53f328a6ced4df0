import Foundation
import Testing

@testable import Scenarios

@Suite struct SelectionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in [
      "a.scenario.lua", "b.scenario.lua", "flow.lua", "sub/c.scenario.lua",
      "sub/deep/d.scenario.lua", ".hidden/e.scenario.lua", ".f.scenario.lua", "README.md",
    ] {
      try folder.write("", to: name)
    }
    try folder.makeFolder("empty")
  }

  private func names(_ paths: String...) -> [String] {
    Selection(paths, in: folder.url).items.map { item in
      item.name + item.lines.sorted().map { ":\($0)" }.joined()
        + (item.problem.map { " (\($0))" } ?? "")
    }
  }

  @Test("a folder is searched recursively, without hidden files and folders")
  func folders() {
    let all = ["a.scenario.lua", "b.scenario.lua", "sub/c.scenario.lua", "sub/deep/d.scenario.lua"]
    #expect(names(".") == all)
    #expect(names("./") == all)
    #expect(names("sub", "./sub/") == ["sub/c.scenario.lua", "sub/deep/d.scenario.lua"])
    #expect(names("sub//deep/.") == ["sub/deep/d.scenario.lua"])
  }

  @Test("files are sorted by name, and each comes once, however it is named")
  func once() {
    #expect(
      names("b.scenario.lua", "./a.scenario.lua", "sub/../a.scenario.lua", ".").prefix(2)
        == ["a.scenario.lua", "b.scenario.lua"])
    #expect(names(folder.url.path + "/a.scenario.lua", "a.scenario.lua").count == 1)
  }

  @Test("several lines of a file are combined, and the whole file takes precedence")
  func lines() {
    #expect(names("a.scenario.lua:3", "a.scenario.lua:7") == ["a.scenario.lua:3:7"])
    #expect(names("a.scenario.lua:3", "a.scenario.lua") == ["a.scenario.lua"])
    #expect(names("a.scenario.lua", "a.scenario.lua:3") == ["a.scenario.lua"])
    #expect(names("a.scenario.lua:3", "sub/c.scenario.lua", ".").first == "a.scenario.lua")
  }

  @Test("a file whose own name ends in a colon and digits is that file")
  func colon() throws {
    try folder.write("", to: "odd:12")
    #expect(names("odd:12") == ["odd:12"])
  }

  @Test("a missing path is an error with the nearest scenario file")
  func missing() {
    #expect(names("nowhere") == ["nowhere (there is no such file or folder)"])
    #expect(
      names("b.scenario.lau", "a.scenario.lua") == [
        "a.scenario.lua",
        "b.scenario.lau (there is no such file or folder; did you mean b.scenario.lua?)",
      ])
    #expect(names("nowhere:3") == ["nowhere (there is no such file or folder)"])
    #expect(names("a.scenario.lua:x").count == 1)
    #expect(names("sub:3") == ["sub:3 (a folder has no lines)"])
  }

  @Test("a folder without scenario files is reported")
  func empty() {
    let selection = folder.select("empty")
    #expect(selection.items.isEmpty)
    #expect(selection.notes == ["there is no scenario file (*.scenario.lua) in empty"])
  }

  @Test("links to folders are not followed, so that cycles end, and links to files are")
  func links() throws {
    try folder.link("sub/round", to: "..")
    try folder.link("sub/again", to: "../sub")
    try folder.link("sub/link.scenario.lua", to: "../a.scenario.lua")
    #expect(
      names("sub") == [
        "sub/c.scenario.lua", "sub/deep/d.scenario.lua", "sub/link.scenario.lua",
      ])
    #expect(
      names("sub/again") == [
        "sub/again/c.scenario.lua", "sub/again/deep/d.scenario.lua",
        "sub/again/link.scenario.lua",
      ])
  }

  @Test("a scenario file that is a dangling link is selected, and reported when it runs")
  func danglingLink() throws {
    try folder.link("sub/gone.scenario.lua", to: "nowhere")
    #expect(names("sub").contains("sub/gone.scenario.lua"))
  }

  @Test("a pattern selects the matching files, and no match is an error")
  func patterns() {
    #expect(names("*.scenario.lua") == ["a.scenario.lua", "b.scenario.lua"])
    #expect(names("**/[cd].scenario.lua") == ["sub/c.scenario.lua", "sub/deep/d.scenario.lua"])
    #expect(names("sub/*/*") == ["sub/deep/d.scenario.lua"])
    #expect(
      Selection(["z*"], in: folder.url).notes == ["no scenario file matches z*"])
  }

  @Test("a line after a pattern applies to each matching file")
  func linesOfPatterns() {
    #expect(names("*.scenario.lua:13") == ["a.scenario.lua:13", "b.scenario.lua:13"])
    #expect(
      names("*.scenario.lua:13", "a.scenario.lua:2") == [
        "a.scenario.lua:2:13", "b.scenario.lua:13",
      ])
    #expect(
      names("*.scenario.lua:13", "a.scenario.lua") == ["a.scenario.lua", "b.scenario.lua:13"])
    #expect(
      Selection(["z*:13"], in: folder.url).notes == ["no scenario file matches z*"])
  }
}
