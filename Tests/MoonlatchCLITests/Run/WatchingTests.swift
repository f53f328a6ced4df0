import Foundation
import Testing

@Suite struct WatchingTests {
  private let folder: TemporaryFolder
  private let streams: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    streams = try TemporaryFolder()
    for name in ["a", "b"] {
      try folder.write(
        "state { n = 0 }\naction.go {}\nlocal m = require \"m\"\n", to: "\(name)/flow.lua")
      try folder.write("return {}\n", to: "\(name)/m.lua")
      try folder.write(
        "flow \"flow.lua\"\nscenario(\"\(name)\", function() pass.go() end)\n",
        to: "\(name)/x.scenario.lua")
    }
  }

  /// Waits until the error stream has so many lines that say that the files are watched.
  private func wait(for count: Int) throws -> Bool {
    for _ in 0..<4_000 {
      if try streams.text(of: "err").split(separator: "watching").count > count { return true }
      usleep(5_000)
    }
    return false
  }

  @Test("a changed module reruns only the scenarios of its flow, and Ctrl-C exits with 130")
  func module() throws {
    let path = streams.url.path
    let child = try ChildProcess(
      ["run", "--watch", "--jobs", "1"], in: folder.url,
      streams: [.reading("/dev/null"), .writing(path + "/out"), .writing(path + "/err")])
    defer { child.signal(SIGKILL) }
    #expect(try wait(for: 1))
    let all = try streams.text(of: "out")
    #expect(all.contains("ok    a/x.scenario.lua:2  a\n"))
    #expect(all.hasSuffix("2 passed, 0 failed\n"))
    try folder.write("return { changed = true }\n", to: "b/m.lua")
    #expect(try wait(for: 2))
    #expect(
      try streams.text(of: "out").dropFirst(all.count)
        == "ok    b/x.scenario.lua:2  b\n1 passed, 0 failed\n")
    // A new scenario file runs too.
    let now = try streams.text(of: "out")
    try folder.write(
      "flow \"flow.lua\"\nscenario(\"new\", function() end)\n", to: "a/y.scenario.lua")
    #expect(try wait(for: 3))
    #expect(
      try streams.text(of: "out").dropFirst(now.count)
        == "ok    a/y.scenario.lua:2  new\n1 passed, 0 failed\n")
    child.signal(SIGINT)
    #expect(child.wait() == 130)
  }
}
