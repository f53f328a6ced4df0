import Foundation
import Platform
import Testing

/// A test whose text stands on a page: files are those of the page, and what is printed is compared
/// with the comments there.
protocol ReadsAsOnPage {
  var desk: Desk { get }
}

/// The environment of a sample: the files that its page names, and the lines that it prints.
final class Desk: Sendable {
  let page: Page
  let folder: TemporaryFolder
  private let lines = Mutex<[String]>([])

  init(_ page: String, examples: [String] = []) throws {
    self.page = try Page.named(page)
    folder = try TemporaryFolder()
    for block in self.page.blocks where block.language == "lua" {
      if let file = block.file { try folder.write(block.text, to: file) }
    }
    for example in examples {
      try FileManager.default.copyItem(
        at: Page.root.appending(path: "examples/\(example)/\(example).lua"),
        to: folder.url.appending(path: "\(example).lua"))
    }
  }

  func print(_ line: String) { lines.withLock { $0.append(line) } }

  var printed: [String] { lines.withLock { $0 } }

  /// The comments behind `print` in the block that has this line.
  func promised(_ line: String) throws -> [String] {
    let block = try #require(
      page.blocks.first { $0.language == "swift" && $0.text.contains(line) })
    return block.lines.compactMap { line in
      guard line.contains("print("), let comment = line.firstRange(of: " // ") else { return nil }
      return String(line[comment.upperBound...])
    }
  }
}

extension ReadsAsOnPage {
  /// A file of the page.
  func URL(filePath: String) -> Foundation.URL { desk.folder.url.appending(path: filePath) }

  func print(_ items: Any...) { desk.print(items.map { "\($0)" }.joined(separator: " ")) }

  /// Expects that the sample printed the output that the block with this line promises.
  func expectPrinted(as line: String, _ place: SourceLocation = #_sourceLocation) throws {
    let promised = try desk.promised(line)
    #expect(desk.printed == promised, sourceLocation: place)
  }
}
