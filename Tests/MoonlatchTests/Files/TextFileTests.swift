import Foundation
import Testing

@testable import FlowLanguage

@Suite struct TextFileTests {
  private let folder: TestFolder
  private var path: String { folder.url.appending(path: "file").path }

  init() throws { folder = try TestFolder() }

  private func reason(_ path: String, longest: Int = TextFile.longest) -> String {
    do {
      return "read: \(try TextFile.read(path, name: "f", longest: longest))"
    } catch {
      return error.reason
    }
  }

  @Test("a regular file is read, also through a link")
  func regular() throws {
    try Data("text".utf8).write(to: URL(filePath: path))
    let link = folder.url.appending(path: "link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(reason(link) == "read: text")
  }

  @Test("a name that is not UTF-8 is an error, and is never suggested")
  func name() throws {
    let bytes = Array("\(folder.url.path)/caf".utf8) + [0xe9, 0]
    let made = bytes.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { name in
      name.baseAddress.map { open($0, O_CREAT, 0o600) } ?? -1
    }
    try #require(close(made) == 0)
    let repaired = String(decoding: bytes.dropLast(), as: UTF8.self)
    #expect(reason(repaired) == "there is no such file: the name is not UTF-8; rename it")
  }

  @Test("reading a named pipe fails without waiting")
  func pipe() throws {
    try #require(mkfifo(path, 0o600) == 0)
    #expect(reason(path) == "this is a named pipe, and only regular files are read")
  }

  @Test("a device is not read, also not through a link")
  func device() throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
    for path in [path, "/dev/zero", "/dev/tty"] {
      #expect(reason(path).contains("a device"))
    }
    #expect(reason(folder.url.path) == "this is a folder, not a file")
    #expect(reason(path + "x") == "there is no such file")
  }

  @Test("a file beyond the size limit is rejected, also one that grows while it is read")
  func size() throws {
    try Data(repeating: 97, count: (1 << 20) + 1).write(to: URL(filePath: path))
    let told = "the file is larger than 1 MB, the limit for such a file"
    #expect(reason(path, longest: 1 << 20) == told)
    #expect(reason(path, longest: (1 << 20) + 1).hasPrefix("read: aaa"))
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: 1 << 40)
    #expect(reason(path).hasPrefix("the file is larger than 16 MB"))
  }
}
