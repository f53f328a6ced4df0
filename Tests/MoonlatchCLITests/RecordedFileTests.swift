import Foundation
import SharedCommands
import Testing

@testable import MoonlatchCLI

@Suite struct RecordedFileTests {
  @Test(
    "a file's path is written relative to the folder",
    arguments: [
      ("/a/b", "/a/b/f.lua", "f.lua"), ("/a/b", "/a/f.lua", "../f.lua"),
      ("/a/b/c", "/a/d/f.lua", "../../d/f.lua"), ("/a", "/a/b/c/f.lua", "b/c/f.lua"),
      ("/a/./b/../b", "/a/b/f.lua", "f.lua"), ("/x", "/a/f.lua", "/a/f.lua"),
    ])
  func paths(folder: String, file: String, path: String) {
    #expect(
      RecordedFile.path(
        from: URL(filePath: folder, directoryHint: .isDirectory), to: URL(filePath: file)) == path)
  }
}
