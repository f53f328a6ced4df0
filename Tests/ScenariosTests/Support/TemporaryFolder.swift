import Foundation
import Scenarios

/// A temporary folder of one test.
///
/// It is deleted with the value.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "moonlatch-\(UUID().uuidString)", directoryHint: .isDirectory)
      .resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Writes a file, and the folders on the way to it.
  @discardableResult
  func write(_ text: String, to name: String) throws -> URL {
    try write(Data(text.utf8), to: name)
  }

  @discardableResult
  func write(_ data: Data, to name: String) throws -> URL {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
    return file
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      at: url.appending(path: name), withIntermediateDirectories: true)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: url.appending(path: name).path, withDestinationPath: target)
  }

  /// The selection made by paths relative to the folder.
  func select(_ paths: String...) -> Selection { Selection(paths, in: url) }
}
