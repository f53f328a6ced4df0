import Foundation
import Testing

/// `moonlatch check --watch`.
@Suite struct CheckWatchingTests {
  private let folder: TemporaryFolder
  private let streams: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    streams = try TemporaryFolder()
    try folder.write(
      "state { n = 0 }\naction.go {}\nfunction reduce.go(s) s.n = s.m end\n", to: "a.lua")
  }

  /// Waits until the error stream has so many lines that say that files are watched.
  private func wait(for count: Int) throws -> Bool {
    for _ in 0..<4_000 {
      if try streams.text(of: "err").split(separator: "watching").count > count { return true }
      usleep(5_000)
    }
    return false
  }

  @Test("--watch checks a changed, renamed or new file at once, and Ctrl-C ends it with 130")
  func watching() throws {
    let path = streams.url.path
    let child = try ChildProcess(
      ["check", "--watch"], in: folder.url,
      streams: [.reading("/dev/null"), .writing(path + "/out"), .writing(path + "/err")])
    defer { child.signal(SIGKILL) }
    #expect(try wait(for: 1))
    var told = try streams.text(of: "out")
    #expect(
      told.hasSuffix(
        "a.lua:3: warning: state has no field m [unknown-field]\n1 file: 0 errors, 1 warning\n"))
    // As editors do: written beside it, and put in its place.
    try folder.write(
      "state { n = 0 }\naction.go {}\nfunction reduce.go(s) s.n = s.n + 1 end\n", to: "b.tmp")
    #expect(
      rename(folder.url.appending(path: "b.tmp").path, folder.url.appending(path: "a.lua").path)
        == 0)
    #expect(try wait(for: 2))
    #expect(
      try streams.text(of: "out").dropFirst(told.count) == "1 file: 0 errors, 0 warnings\n")
    told = try streams.text(of: "out")
    try folder.write("action.stay {}\n", to: "c.lua")
    #expect(try wait(for: 3))
    #expect(
      try streams.text(of: "out").dropFirst(told.count).contains("2 files: 0 errors, 1 warning"))
    child.signal(SIGINT)
    #expect(child.wait() == 130)
  }
}
