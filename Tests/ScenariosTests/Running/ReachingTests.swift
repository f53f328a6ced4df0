import Foundation
import Testing

@testable import Scenarios

/// Files and folders that a scenario can reach.
@Suite struct ReachingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("state {}\naction.x {}\n", to: "flow.lua")
    try folder.write("secret = nothing that anyone may see\n", to: "secret.txt")
  }

  private func report(_ flow: String, _ name: String = "sub/a.scenario.lua", from: String = "sub")
    throws -> String
  {
    try folder.write("flow \"\(flow)\"\nscenario(\"a\", function() end)\n", to: name)
    return Played(Selection(["."], in: folder.url.appending(path: from))).report
  }

  @Test(
    "a flow outside of the given paths is rejected at its line, without revealing its contents",
    arguments: ["/etc/passwd", "/proc/self/environ", "/dev/zero", "../secret.txt", "../flow.lua"])
  func outside(flow: String) throws {
    let told = try report(flow)
    #expect(told.contains("a.scenario.lua:1: "), "\(told)")
    #expect(told.contains("can read files only there"), "\(told)")
    #expect(!told.contains("root:") && !told.contains("secret =") && !told.contains("PATH="))
  }

  @Test("a flow below the given folder runs, by any path")
  func inside() throws {
    #expect(try report("../flow.lua", from: "").hasPrefix("ok"))
    #expect(try report("../sub/../flow.lua", from: "").hasPrefix("ok"))
  }

  @Test("a file with another extension is not a flow")
  func noLua() throws {
    let told = try report("../secret.txt", from: "")
    #expect(told.contains("is not a flow: the names of flows end"), "\(told)")
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "link.lua").path, withDestinationPath: "secret.txt")
    #expect(try report("../link.lua", from: "").contains("is not a flow: the names of flows end"))
  }

  @Test("a scenario file that is a link out of the given folder runs only if it is named")
  func linkedFile() throws {
    try folder.write("flow \"flow.lua\"\nscenario(\"a\", function() end)\n", to: "b.scenario.lua")
    try folder.makeFolder("sub")
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "sub/b.scenario.lua").path,
      withDestinationPath: "../b.scenario.lua")
    let sub = folder.url.appending(path: "sub")
    #expect(
      Played(Selection(["."], in: sub)).report.contains("this link leads out of the given folder"))
    try folder.write("state {}\naction.x {}\n", to: "sub/flow.lua")
    #expect(Played(Selection(["b.scenario.lua"], in: sub)).report.hasPrefix("ok"))
  }

  @Test("a named pipe and a device as scenario or flow are errors without waiting")
  func pipes() throws {
    try folder.write("flow \"pipe.lua\"\nscenario(\"a\", function() end)\n", to: "a.scenario.lua")
    for name in ["pipe.lua", "b.scenario.lua"] {
      try #require(mkfifo(folder.url.appending(path: name).path, 0o600) == 0)
    }
    let told = Played(Selection(["."], in: folder.url)).report
    #expect(told.matches(of: /this is a named pipe/).count == 2, "\(told)")
  }
}
