import FlowKernel
import Foundation
import LuaRuntime
import Testing

@testable import HostFiles

/// The options of the word command.
@Suite struct CommandOptionsTests {
  private let folder: HostFolder

  init() throws { folder = try HostFolder() }

  private func capability(_ text: String) throws -> HostCapability {
    try #require(folder.load("provide { free = command { \(text) } }").capabilities.first)
  }

  private func task(_ text: String) throws -> TaskCapability {
    try #require(folder.load("provide { free = command { \(text) } }").tasks["root.free"])
  }

  @Test("a command has defaults, and a queue that no worker can name")
  func defaults() throws {
    let options = try #require(capability("\"/bin/cat\"").command)
    #expect(options.program == "/bin/cat" && options.arguments.isEmpty)
    #expect(options.timeout == 60 && options.atOnce == 4 && options.mostBytes == 1 << 20)
    let task = try task("\"/bin/cat\"")
    #expect(task.kind == .command && task.queue == "#root.free")
    #expect(task.timeout == nil && task.performer == nil)
  }

  @Test("a performer has the number of runs at once, and the timeout with the time to clean up")
  func times() throws {
    let file = try folder.load(
      "provide.user { free = command { \"/bin/cat\", timeout = \"2m\", at_once = 2, max = 10 } }")
    let runner = FakeRunner(.interrupted)
    let free = try #require(file.tasks(sender: nil, runner: runner)["user.free"])
    #expect(free.performer?.atOnce == 2 && free.performer?.timeout == 125_000_000)
    #expect(free.queue == "#user.free" && free.lease == 130_000_000)
    #expect(file.capabilities.first?.command?.mostBytes == 10)
  }

  @Test("the summary has the command, without secrets and on one line")
  func summary() throws {
    let file = try folder.load(
      """
      provide { free = command { "/bin/cat", "--", "{path}", "a b", "", "x\\ny", env.TOKEN,
        args = { "path" } } }
      """, reading: .variables(["TOKEN": "0123456789"]))
    #expect(
      file.capabilities.map(\.summary)
        == ["command /bin/cat -- {path} \"a b\" \"\" \"x\\ny\" $TOKEN"])
    let long = try capability("\"/bin/cat\", (\"x\"):rep(1000)").summary
    #expect(long.utf8.count < 130 && long.hasSuffix("x…"), "\(long)")
  }

  @Test(
    "each fault of the options names its line",
    arguments: [
      ("", "the program is missing: command { \"df\""),
      ("7", "the program must be a string, not a number"),
      ("\"\"", "the program is an empty text"),
      ("\"/bin/cat\", 5", "argument 1 must be a string, not a number"),
      ("\"/bin/cat\", \"a\", {}", "argument 2 must be a string, not a table"),
      ("\"/bin/cat\", \"a\\0b\"", "argument 1 must not have the character NUL"),
      ("\"/bin/c\\0at\"", "the program must not have the character NUL"),
      ("\"/bin/cat\", tiemout = 1", "command has no option tiemout; did you mean timeout?"),
      ("\"/bin/cat\", timeout = \"11m\"", "timeout must be a duration from 0.1s to 10m"),
      ("\"/bin/cat\", at_once = 0", "at_once must be a whole number from 1 to 1000"),
      ("\"/bin/cat\", max = 20000000", "max must be a whole number from 1 to 16777216"),
      ("\"/bin/cat\", env = 1", "env takes a table, not a number"),
      ("\"/bin/cat\", env = { A = 1 }", "env.A must be a string, not a number"),
      ("\"/bin/cat\", env = { \"A\" }", "env has no field 1"),
      (
        "\"/bin/cat\", env = { [\"A=B\"] = \"\" }", "a variable has a name of letters, digits and _"
      ),
      ("\"/bin/cat\", env = { [\"1A\"] = \"\" }", "a variable has a name of letters, digits and _"),
      ("\"/bin/cat\", env = { A = \"a\\0\" }", "env.A must not have the character NUL"),
      ("\"/bin/cat\", args = { { \"a\", 7 } }", "command.a: a number is not a type"),
      ("\"/bin/cat\", result = 7", "command.result: a number is not a type"),
      ("\"/bin/cat\", \"{\"", "a brace itself is {{"),
      ("\"/bin/cat\", \"{a b}\"", "a brace itself is {{"),
      (
        "\"/bin/cat\", \"{pth}\", args = { \"path\" }",
        "{pth} in the command is no argument; did you mean path?"
      ),
      ("\"/bin/cat\", \"{key}\"", "{key} is the key of a scope, which root does not have"),
      (
        "\"/bin/cat\", \"{case}\", args = { \"case\" }",
        "{case} is no argument, but set by the server"
      ),
      ("\"{program}\", args = { \"program\" }", "the program has no placeholders"),
      ("\"/bin/{a}\", args = { \"a\" }", "the program has no placeholders"),
      ("\"/none/at/all\"", "the program /none/at/all cannot be run: no such file"),
      ("\"/bin\"", "the program /bin cannot be run: it is not a file"),
      ("\"/etc/passwd\"", "the program /etc/passwd cannot be run: permission denied"),
      ("\"no-such-program\"", "the program no-such-program is in no folder of PATH"),
      ("\"cat -n\"", "is in no folder of PATH; each argument is a text of its own"),
    ])
  func faults(options: String, sentence: String) throws {
    let faults = try folder.faults(of: "provide {\n  free = command { \(options) } }")
    #expect(faults.count == 1, "\(faults)")
    #expect(
      faults.first?.hasPrefix("order.host.lua:2: command") == true
        && faults.first?.contains(sentence) == true, "\(faults)")
  }

  @Test("a command without a table, and one as a notification, are faults")
  func tables() throws {
    let faults = try folder.faults(
      of: "provide { free = command(\"df\") }\nnotify.erp = command { \"/bin/cat\" }")
    #expect(faults.count == 2, "\(faults)")
    #expect(faults.contains { $0.contains(":1: command takes a program, its arguments and") })
    #expect(faults.contains { $0.contains(":2: notify.erp must be an http {") })
  }

  @Test("a program is looked up in PATH, and a path leads from the folder of the host file")
  func lookup() throws {
    let text = "provide { free = command { \"tool\" }, own = command { \"bin/tool\" } }"
    #expect(try folder.faults(of: text, reading: .variables(["PATH": "/none"])).count == 2)
    try folder.write("#!/bin/sh\n", to: "tool")
    #expect(chmod(folder.url.appending(path: "tool").path, 0o755) == 0)
    let here = "/none:relative::\(folder.url.path)"
    let faults = try folder.faults(of: text, reading: .variables(["PATH": here]))
    #expect(faults.count == 1 && faults[0].contains("bin/tool cannot be run"), "\(faults)")
    let file = try folder.load(
      "provide { free = command { \"tool\" }, own = command { \"./tool\" } }",
      reading: .variables(["PATH": here]))
    for capability in file.capabilities {
      #expect(capability.command?.program.hasPrefix(folder.url.path) == true)
    }
  }

  @Test("with names in place of texts no program is looked up")
  func names() throws {
    let file = try folder.load(
      "provide { free = command { \"no-such-program\", env.TOKEN } }", reading: .names)
    #expect(file.capabilities.map(\.summary) == ["command no-such-program $TOKEN"])
    let faults = try folder.faults(
      of: "provide { free = command { \"x\", \"{a}\", args = {} } }", reading: .names)
    #expect(faults.count == 1, "\(faults)")
  }

  @Test("arguments that no program can be given are an error at the call")
  func unsendable() throws {
    let free = try task("\"/bin/cat\", \"{path}\", \"x{more}\", args = { \"path\", \"more\" }")
    let option = "path begins with -, so that the program may take it for an option"
    for (values, error) in [
      (["/tmp", "-a"], ""), (["", "-"], ""), ([1.5, true], ""), (["-rf", ""], option),
      ([-1, ""], option), (["-\u{301}", ""], option),
      (["a\0b", ""], "path has the character NUL, which no argument can have"),
      (["a", "\0"], "more has the character NUL"),
      ([["a"], ""], "path must be a text, a number or a boolean here, not a list"),
      ([.string(String(repeating: "x", count: 131_072)), ""], "must be shorter than 128 KiB"),
    ] as [([Value], String)] {
      let found = arguments(of: values, free).error
      #expect(error.isEmpty ? found.isEmpty : found.contains(error), "\(values): \(found)")
    }
    let operand = try task("\"/bin/cat\", \"{a}\", \"--\", \"{path}\", args = { \"a\", \"path\" }")
    #expect(arguments(of: ["x", "-rf"], operand).error.isEmpty)
    #expect(arguments(of: ["-x", "-rf"], operand).error.contains("a begins with -"))
    let any = try task("\"/bin/cat\", \"{path}\"")
    #expect(arguments(of: [["a": 1]], any).error == "path is missing: it stands in the command")
    #expect(
      arguments(of: [["path": "", "n": .number(.infinity)]], any).error
        == "JSON has no number math.huge")
  }
}
