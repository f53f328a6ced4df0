import Foundation
import Testing

@testable import FlowLanguage

@Suite struct PathSandboxTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    let inside = folder.url.appending(path: "given/sub")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    try Data().write(to: folder.url.appending(path: "given/a.lua"))
    try Data().write(to: folder.url.appending(path: "outside.lua"))
  }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  @Test("paths below the given folder are allowed, and others are not")
  func below() {
    let reach = PathSandbox(of: [path("given")], from: "/")
    #expect(reach.holds(path("given/a.lua")))
    #expect(reach.holds(path("given/sub/../a.lua")))
    #expect(reach.holds(path("given/none/of/these.lua")))
    for other in [
      "outside.lua", "given/../outside.lua", "given/sub/../../none.lua", "given2/a.lua",
    ] {
      #expect(!reach.holds(path(other)), "\(other)")
    }
    #expect(!reach.holds("/etc/passwd"))
    #expect(!reach.holds("/proc/self/environ"))
  }

  @Test("a path below the current folder allows that whole folder, unless it is the root")
  func current() {
    let here = PathSandbox(of: ["given/sub/x"], from: folder.url.path)
    #expect(here.holds(path("outside.lua")))
    #expect(!PathSandbox(of: [path("given/a.lua")], from: "/").holds("/etc/passwd"))
    #expect(
      !PathSandbox(of: [path("given/a.lua")], from: path("given/sub")).holds(path("outside.lua")))
  }

  @Test("names are compared as bytes, so that a similar-looking folder is another one")
  func bytes() throws {
    try FileManager.default.createDirectory(
      atPath: path("giv\u{e9}n"), withIntermediateDirectories: true)
    let reach = PathSandbox(of: [path("giv\u{e9}n")], from: "/")
    #expect(reach.holds(path("giv\u{e9}n/a.lua")))
    #expect(!reach.holds(path("give\u{301}n/a.lua")))
    // A slash with an accent behind it is a slash.
    #expect(
      !PathSandbox(of: [path("given")], from: "/").holds(path("given/none/../../\u{301}x/a.lua")))
    #expect(PathSandbox(of: [path("given")], from: "/").holds(path("given/\u{301}x/a.lua")))
  }

  @Test("links are resolved first")
  func links() throws {
    for (link, target) in [("given/out.lua", "../outside.lua"), ("given/in.lua", "a.lua")] {
      try FileManager.default.createSymbolicLink(
        atPath: path(link), withDestinationPath: target)
    }
    let reach = PathSandbox(of: [path("given")], from: "/")
    #expect(!reach.holds(path("given/out.lua")))
    #expect(reach.holds(path("given/in.lua")))
  }

  @Test("a script can load only flows, and the error names the allowed folders")
  func problem() {
    let reach = PathSandbox(of: [path("given")], from: "/")
    #expect(reach.problem(with: path("given/a.lua"), named: "a") == nil)
    #expect(reach.problem(with: path("given/a.scxml"), named: "a") == nil)
    #expect(
      reach.problem(with: path("given/.env"), named: ".env")
        == ".env is not a flow: the names of flows end in .lua or .scxml")
    let told = reach.problem(with: "/etc/passwd", named: "/etc/passwd") ?? ""
    #expect(told.hasPrefix("/etc/passwd is outside of "), "\(told)")
    #expect(told.contains("/given, and scripts can read files only there"))
  }
}
