#if Server
  import Foundation

  /// The page Serving of the documentation, with its blocks.
  struct ServingPage {
    /// The page has no block that is this file.
    struct NoBlock: Error {
      let file: String
    }

    let text: String

    init() {
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      let page = root.appending(path: "Sources/Programs/Moonlatch/Moonlatch.docc/Serving.md")
      text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    }

    /// Returns the block whose first line is a comment with this name.
    func text(of file: String) throws -> String {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let titles = ["# \(file)", "-- \(file)", "// \(file)"]
      guard
        let first = lines.indices.dropFirst().first(where: {
          lines[$0 - 1].hasPrefix("```") && titles.contains(String(lines[$0]))
        })
      else { throw NoBlock(file: file) }
      return lines[first...].prefix { $0 != "```" }.joined(separator: "\n") + "\n"
    }
  }
#endif
