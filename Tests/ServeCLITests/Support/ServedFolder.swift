#if Server
  import Foundation

  /// A temporary folder of one test, with files to serve; it is deleted with the value.
  final class ServedFolder: Sendable {
    let url: URL

    init() throws {
      url = FileManager.default.temporaryDirectory
        .appending(path: "serve-\(UUID().uuidString)", directoryHint: .isDirectory)
        .resolvingSymlinksInPath()
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
      try Data(text.utf8).write(to: url.appending(path: name))
    }

    /// The names of its files, sorted.
    var names: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
  }
#endif
