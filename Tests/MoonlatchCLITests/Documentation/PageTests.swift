import Foundation
import Testing

/// Rules for every page and every block on it.
@Suite struct PageTests {
  @Test("the pages are found")
  func found() {
    let names = Page.all.map(\.name)
    #expect(names.contains("README.md"))
    #expect(names.contains("Sources/Programs/Moonlatch/Moonlatch.docc/Tour.md"))
    #expect(names.contains("Sources/Support/StateBlocks/StateBlocks.docc/StateBlocks.md"))
  }

  @Test("blocks are found with their lines and the comment above them")
  func blocks() throws {
    let page = Page(
      name: "a.md",
      text: "# A\n\n<!-- with:\nstate {} -->\n```lua\n-- a/b.lua\nx\n```\n\n```console\n$ y\n```\n")
    try #require(page.blocks.count == 2)
    #expect(page.blocks[0].language == "lua")
    #expect(page.blocks[0].line == 6)
    #expect(page.blocks[0].file == "a/b.lua")
    #expect(page.blocks[0].argument(of: "with:") == "state {}")
    #expect(page.blocks[1].text == "$ y\n")
    #expect(page.blocks[1].directive == nil)
  }

  @Test("a page's samples pass", arguments: Page.all)
  func samples(_ page: Page) throws {
    let samples = try Samples(page)
    for block in page.blocks {
      for problem in samples.problems(of: block) { Issue.record("\(problem)") }
    }
  }

  @Test("a page's links have targets", arguments: Page.all)
  func links(_ page: Page) {
    let folder = Page.root.appending(path: page.name).deletingLastPathComponent()
    let articles = Set(
      Page.all.map { Page.root.appending(path: $0.name) }
        .filter { $0.deletingLastPathComponent() == folder }
        .map { $0.deletingPathExtension().lastPathComponent })
    for link in page.links where !link.target.contains("://") && !link.target.hasPrefix("#") {
      if link.target.hasPrefix("doc:") {
        let article = String(link.target.dropFirst(4).prefix { $0 != "#" })
        #expect(articles.contains(article), "\(page.name):\(link.line): no page \(article)")
      } else {
        let path = String(link.target.prefix { $0 != "#" })
        // DocC finds pictures by their names.
        let isThere = [path, "Resources/\(path).png"].contains {
          FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
        }
        #expect(isThere, "\(page.name):\(link.line): no file \(path)")
      }
    }
  }

  @Test("the README's figures match the page about speed")
  func figures() throws {
    let speed = try Page.named("Speed")
    let rows = try figures(of: #require(Page.all.first { $0.name == "README.md" }))
    #expect(rows.count == 4)
    for row in rows { #expect(speed.contains(row), "Speed.md has no row \(row)") }
    #expect(figures(of: speed).count > rows.count)
  }

  /// The rows of the tables that `scripts/bench table --page` has written into a page.
  private func figures(of page: Page) -> [String] {
    page.text.split(separator: "\n")
      .drop { $0 != "<!-- written by scripts/bench table --page -->" }
      .prefix { $0 != "<!-- end of what is written -->" }
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| work ") && !$0.hasPrefix("| --- ") }
      .map(String.init)
  }
}
