import Foundation
import Testing

@testable import FlowLanguage

@Suite struct OutputFileTests {
  private let folder: TestFolder
  private var path: String { folder.url.appending(path: "out").path }

  init() throws { folder = try TestFolder() }

  private func write(
    _ text: String, to path: String, sparing inputs: [String] = [], over mark: String? = nil
  ) -> String {
    do {
      try OutputFile.write(text, to: path, sparing: inputs) {
        mark.map(\.utf8).map($0.starts) ?? false
      }
      return "written"
    } catch {
      return String("\(error)".dropFirst(path.count + 1))
    }
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: URL(filePath: path), encoding: .utf8)
  }

  @Test("a file is created, or overwrites one that starts with the same mark")
  func own() throws {
    #expect(write("mark one", to: path) == "written")
    #expect(write("mark two", to: path, over: "mark") == "written")
    #expect(try text(path) == "mark two")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out"])
  }

  @Test("a foreign file is not overwritten, and no temporary file remains")
  func foreign() throws {
    try Data("somebody's".utf8).write(to: URL(filePath: path))
    #expect(
      write("mark", to: path, over: "mark").hasPrefix("exists already, and was not written"))
    #expect(write("mark", to: path).hasPrefix("exists already"))
    #expect(try text(path) == "somebody's")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out"])
  }

  @Test("an empty file may be overwritten")
  func empty() throws {
    try Data().write(to: URL(filePath: path))
    #expect(write("mark", to: path) == "written")
  }

  @Test("nothing is written through a link, whatever its target", arguments: ["target", "nowhere"])
  func link(target: String) throws {
    let real = folder.url.appending(path: "target").path
    try Data("mark old".utf8).write(to: URL(filePath: real))
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    #expect(
      write("mark new", to: path, over: "mark").hasPrefix("is a link, and files are not written"))
    #expect(try text(real) == "mark old")
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "nowhere").path))
  }

  @Test("an input of the same command is not overwritten, by any path")
  func input() throws {
    try Data("mark log".utf8).write(to: URL(filePath: path))
    let other = folder.url.appending(path: "other").path
    try FileManager.default.linkItem(atPath: path, toPath: other)
    for target in [path, other] {
      #expect(
        write("mark", to: target, sparing: [path], over: "mark").hasPrefix("is read or written by"))
    }
    #expect(try text(path) == "mark log")
  }

  @Test("a folder, a pipe or a device is not written to")
  func others() throws {
    try #require(mkfifo(path, 0o600) == 0)
    #expect(write("x", to: path, over: "").hasPrefix("is not a regular file"))
    #expect(write("x", to: folder.url.path, over: "").hasPrefix("is a folder"))
    #expect(write("x", to: "/dev/null", over: "").hasPrefix("is not a regular file"))
  }

  @Test("a growing file is visible while it is written")
  func growing() throws {
    let file = try OutputFile(path, grows: true)
    try file.write("one\n")
    #expect(try text(path) == "one\n")
    try file.close()
    #expect(throws: OutputFile.Refused.self) { try OutputFile(path, grows: true) }
    #expect(try text(path) == "one\n")
  }

  @Test("a file that is not finished leaves the old one in place")
  func dropped() throws {
    #expect(write("mark old", to: path) == "written")
    var file: OutputFile? = try OutputFile(path) { _ in true }
    try file?.write("mark")
    file = nil
    #expect(try text(path) == "mark old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out"])
  }
}
