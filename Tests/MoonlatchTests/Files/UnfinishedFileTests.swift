import Foundation
import Testing

@testable import FlowLanguage

@Suite struct UnfinishedFileTests {
  private let folder: TestFolder
  private var path: String { folder.url.appending(path: "out").path }

  init() throws { folder = try TestFolder() }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }
  }

  @Test("an unfinished file has a unique name in the folder of its final path")
  func name() {
    let one = UnfinishedFile(beside: path)
    let other = UnfinishedFile(beside: path)
    #expect(one.path.hasPrefix(folder.url.path + "/.moonlatch-") && one.path != other.path)
    #expect(UnfinishedFile(beside: "out").path.hasPrefix(".moonlatch-"))
  }

  @Test("released unfinished files are deleted, and others stay")
  func removed() throws {
    try Data().write(to: folder.url.appending(path: "other"))
    var files = (0..<100).map { _ in UnfinishedFile(beside: path) }
    for file in files { try Data().write(to: URL(filePath: file.path)) }
    #expect(try names.count == 101)
    files.removeFirst(50)
    #expect(try names.count == 51)
    files = []
    #expect(try names == ["other"])
  }

  @Test("an unfinished file that was renamed stays")
  func renamed() throws {
    do {
      let file = UnfinishedFile(beside: path)
      try Data().write(to: URL(filePath: file.path))
      try FileManager.default.moveItem(atPath: file.path, toPath: path)
    }
    #expect(try names == ["out"])
  }
}
