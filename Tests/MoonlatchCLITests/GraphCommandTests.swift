import Foundation
import Testing

/// `moonlatch graph`.
@Suite struct GraphCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
  }

  /// The flows of the examples.
  private static let examples: [String] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "examples").path
    return [
      "turnstile/turnstile", "tcp/tcp", "fines/fines", "session/session", "loader/loader",
      "loader/once", "oauth-device/device", "elevator/elevator",
    ].map { "\(root)/\($0).lua" }
  }()

  private static let hasGraphviz = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/dot") }

  @Test("DOT is the default format, and the file's extension selects another")
  func formats() throws {
    let dot = try moonlatch("graph", "turnstile.lua", in: folder)
    #expect(dot.code == 0)
    #expect(dot.output.hasPrefix("digraph flow {"))
    let file = try moonlatch("graph", "turnstile.lua", "-o", "t.mmd", in: folder)
    #expect(file == Ran(code: 0, output: "", errors: ""))
    #expect(try folder.text(of: "t.mmd").contains("flowchart LR"))
    #expect(
      try moonlatch("graph", "turnstile.lua", "--format", "mermaid", in: folder).output
        == (try folder.text(of: "t.mmd")))
    _ = try moonlatch("graph", "turnstile.lua", "-o", "t.gv", in: folder)
    #expect(try folder.text(of: "t.gv") == dot.output)
  }

  @Test("Graphviz draws every example", .enabled(if: hasGraphviz), arguments: examples)
  func drawn(flow: String) throws {
    let ran = try moonlatch("graph", flow, "-o", "flow.svg", in: folder)
    #expect(ran == Ran(code: 0, output: "", errors: ""))
    let text = try folder.text(of: "flow.svg")
    #expect(text.contains("<svg"))
    #expect(text.contains("</svg>"))
  }

  @Test(
    "a feature that SCXML cannot express is a warning, and exits with 1 under --strict",
    arguments: ["scxml", "xstate"])
  func warnings(format: String) throws {
    try folder.write(
      """
      state { n = 1 }
      action.go {}
      machine.m { initial = "a",
        a = { go = "b", every = { go = 1 } },
        b = { go = { to = "a", when = function(s) return s.n > 1 end } } }
      """, to: "warned.lua")
    let ran = try moonlatch("graph", "warned.lua", "--format", format, in: folder)
    let lines = [
      "scxml":
        "moonlatch: warned.lua as scxml: machine m, b, go: when (warned.lua:5) is not evaluated\n",
      "xstate":
        "moonlatch: warned.lua as xstate: machine m, a, every[1]: fires only once after each "
        + "entry of the state\n",
    ]
    #expect(ran.code == 0 && ran.errors == lines[format])
    let strict = try moonlatch("graph", "warned.lua", "--format", format, "--strict", in: folder)
    #expect(strict == Ran(code: 1, output: ran.output, errors: ran.errors))
  }

  @Test(
    "--strict is rejected for formats other than SCXML and XState", arguments: ["dot", "mermaid"])
  func strictDrawing(format: String) throws {
    try folder.write("state {}\naction.go {}\n", to: "plain.lua")
    let ran = try moonlatch("graph", "plain.lua", "--format", format, "--strict", in: folder)
    #expect(ran.code == 64 && ran.output == "" && ran.errors.contains("--strict is for SCXML"))
  }

  @Test("an unknown file extension is a usage error")
  func unknownEnding() throws {
    for name in ["picture", "picture.jpeg"] {
      let ran = try moonlatch("graph", "turnstile.lua", "-o", name, in: folder)
      #expect(ran.code == 64)
      #expect(
        ran.errors.contains(
          "the name \(name) does not determine the format; add --format (dot, mermaid,"))
    }
  }

  @Test("a flow that cannot be loaded or a file that cannot be written is an error with the reason")
  func failures() throws {
    try folder.write("action.x {", to: "bad.lua")
    let bad = try moonlatch("graph", "bad.lua", in: folder)
    #expect(bad.code == 2)
    #expect(bad.output.isEmpty)
    #expect(bad.errors.hasPrefix("bad.lua:1: "))
    #expect(try moonlatch("graph", "none.lua", in: folder).code == 2)
    #expect(
      try moonlatch("graph", "turnstile.lua", "-o", "no/t.dot", in: folder)
        == Ran(
          code: 3, output: "",
          errors: "moonlatch: no/t.dot cannot be written: there is no such folder\n"))
  }
}
