import Foundation

/// A temporary folder of one test.
///
/// It is deleted with the value.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "moonlatch-\(UUID().uuidString)", directoryHint: .isDirectory)
      .resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Writes a file, and the folders on the way to it.
  func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

  func write(_ data: Data, to name: String) throws {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      at: url.appending(path: name), withIntermediateDirectories: true)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: url.appending(path: name).path, withDestinationPath: target)
  }

  func text(of name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
  }
}

/// The turnstile of the examples.
let turnstile = """
  state { locked = true, coins = 0 }

  action.coin { amount = integer { min = 1 } }
  action.push {}

  function gate.push(s)
    return not s.locked, "insert a coin first"
  end

  function reduce.coin(s, a)
    s.coins  = s.coins + a.amount
    s.locked = false
  end

  function reduce.push(s)
    s.locked = true
  end

  function view.takings(s)
    return s.coins
  end

  function invariant.not_too_rich(s)
    return s.coins < 100, "the box is full"
  end
  """
