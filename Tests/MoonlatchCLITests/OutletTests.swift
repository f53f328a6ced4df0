import Foundation
import Testing

/// The places in which the sources print, read and write.
@Suite("The sources of the command") struct OutletTests {
  private struct Rule {
    let what: String
    let words: String
    let places: Set<String>
  }

  private static var rules: [Rule] {
    [
      Rule(
        what: "prints past Terminal",
        words:
          #"(?:^|[^.\w"])(?:Swift\.)?(?:print|debugPrint|puts|fputs|putchar|perror|v?printf|v?fprintf|fwrite)\(|standardOutput|standardError\b|[^.]write\(STD(?:OUT|ERR)_FILENO|exit\(withError"#,
        places: ["Terminal.swift"]),
      Rule(
        what: "opens a file past RegularFile, OutputFile and JournalFile",
        words:
          #"(?:contentsOf|contentsOfFile|atPath|fileURL): *(?:URL|path|file)\b.*\bencoding|Data\(contentsOf|String\(contentsOf|\bfopen\(|\bfreopen\(|FileHandle\(|\bcreat\(|\.write\(to: *(?:URL|url|source|file)\b|(?<!JournalFile\.open\([^\n]{0,80})(?:O_RDONLY|O_WRONLY|O_RDWR)|Platform\.open\("#,
        places: ["RegularFile.swift", "OutputFile.swift", "JournalFile.swift"]),
    ]
  }

  /// The files that are exempt, with the reason for each.
  private static let exceptions = [
    // Its texts were made by Terminal, or are fixed.
    "CLineEdit/display.c", "CLineEdit/keys.c", "CLineEdit/painting.c", "CLineEdit/reading.c",
    "CLineEdit/signals.c",
    // The same, and the history, which is added to and checked there.
    "CLineEdit/editor.c",
    // Touches a file that Bazel names, and writes nothing.
    "Run/Shard+Option.swift",
    // Hands what scripts print to whoever plays the case, who prints it.
    "Replay/CasePlayer.swift", "Replay/CaseStage.swift", "Replay/ReplayCase.swift",
    "Replay/Replay.swift",
    // Logs by the handler that swift-log has for it.
    "ServeCLI/Serving.swift",
    // Opens what takes the place of a stream that is closed.
    "Platform/StandardStreams.swift",
    // Opens a folder to have its names synced, and reads nothing.
    "Platform/Disk.swift",
    // SQL has a function of that name.
    "FlowJournal/JournalStamp.swift",
    // Reads what the system says of the process.
    "FlowServer/ProcessMeters.swift",
    // Names the outputs of a program that it has started.
    "CommandTasks/RunningCommand.swift",
    // The word of the language, which goes to the host's log.
    "CLatch/language/flow_library.c",
  ]

  @Test("print, read and write in one place each")
  func sources() throws {
    let root = Page.root.appending(path: "Sources").resolvingSymlinksInPath()
    let files = try #require(
      FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    )
    .compactMap { $0 as? URL }.filter { ["swift", "c"].contains($0.pathExtension) }
    #expect(files.count > 200)
    for rule in OutletTests.rules {
      // Lines of comments begin with slashes.
      let expression = try NSRegularExpression(
        pattern: #"^(?!\s*//).*?(?:"# + rule.words + ")", options: .anchorsMatchLines)
      for file in files where !rule.places.contains(file.lastPathComponent) {
        guard !OutletTests.exceptions.contains(where: file.path.hasSuffix) else { continue }
        let text = try String(contentsOf: file, encoding: .utf8)
        let range = NSRange(text.startIndex..., in: text)
        for match in expression.matches(in: text, range: range) {
          let line = Range(match.range, in: text).map { text[$0] } ?? ""
          Issue.record("\(file.lastPathComponent) \(rule.what): \(line)")
        }
      }
    }
  }
}
