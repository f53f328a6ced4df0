import FlowKernel
import FlowLanguage
import Foundation
import LuaRuntime
import Testing

@testable import HostFiles

/// Files that say who performs the capabilities of a flow.
@Suite struct HostFileTests {
  private let folder: HostFolder

  init() throws { folder = try HostFolder() }

  @Test("a worker has a queue, a lease, attempts and a timeout, each with a default")
  func workers() throws {
    let file = try folder.load(
      """
      provide {
        charge = worker { queue = "charges.eu_1-a", lease = "5s", attempts = 2, timeout = "1h" },
        Mail = worker(),
      }
      """)
    let charge = try #require(file.tasks["root.charge"])
    #expect(charge.kind == .worker && charge.queue == "charges.eu_1-a")
    #expect(charge.lease == 5_000_000 && charge.attempts == 2 && charge.timeout == 3_600_000_000)
    let mail = try #require(file.tasks["root.Mail"])
    #expect(mail.kind == .worker && mail.queue == "mail")
    #expect(mail.lease == 60_000_000 && mail.attempts == 20 && mail.timeout == nil)
    #expect(file.capabilities.map(\.title) == ["root.Mail", "root.charge"])
    #expect(file.capabilities.map(\.place.description) == ["order.host.lua:3", "order.host.lua:2"])
    #expect(
      file.capabilities.map(\.summary) == [
        "workers of mail, lease 1 min", "workers of charges.eu_1-a, lease 5 s, timeout 1 h",
      ])
  }

  @Test("capabilities belong to root or to a scope, and several may share a worker's options")
  func scopes() throws {
    let file = try folder.load(
      """
      local mails = worker { queue = "mail" }
      provide { mail = mails, remind = mails }
      provide.user { mail = mails }
      """)
    #expect(file.tasks.keys.sorted() == ["root.mail", "root.remind", "user.mail"])
    #expect(Set(file.tasks.values.map(\.queue)) == ["mail"])
  }

  @Test(
    "each error in a worker's options names its line",
    arguments: [
      ("quue = \"a\"", "worker has no option quue; did you mean queue?; it takes args, attempts, "),
      ("queue = \"Mail\"", "worker: a queue has 1 to 64 of the characters a-z, 0-9, _, . and -"),
      ("queue = \"\"", "worker: a queue has 1 to 64 of the characters"),
      ("queue = string.rep(\"a\", 65)", "worker: a queue has 1 to 64 of the characters"),
      ("queue = 7", "got 7"),
      ("lease = \"0.9s\"", "worker: lease must be a duration from 1s to 24h, such as \"30s\""),
      ("lease = \"25h\"", "got 25h"), ("lease = true", "got true"),
      ("attempts = 0", "worker: attempts must be a whole number from 1 to 1000, got 0"),
      ("attempts = 1001", "got 1001"), ("attempts = 1.5", "got 1.5"),
      ("timeout = \"soon\"", "worker: timeout must be a duration from 1s to 366d"),
      ("args = 3", "worker: args takes a list of names, or a table of fields"),
      (
        "args = { \"a b\" }",
        "worker: argument 1 must be a name, or a name with a type: { \"cents\""
      ),
      ("args = { \"a\", { 3 } }", "worker: argument 2 must be a name"),
      ("args = { \"a\", integer }", "worker: argument 2 must be a name"),
      ("args = { \"a\", { \"a\", integer } }", "worker: two arguments are named a"),
      ("args = { { \"a\", 7 } }", "worker.a: a number is not a type"),
      ("args = { a = 7 }", "worker.args.a: a number is not a type"),
      ("result = 7", "worker.result: a number is not a type"),
    ])
  func options(option: String, sentence: String) throws {
    let faults = try folder.faults(of: "provide {\n  mail = worker { \(option) } }\n")
    #expect(faults.count == 1, "\(faults)")
    #expect(
      faults.first?.hasPrefix("order.host.lua:2: ") == true
        && faults.first?.contains(sentence) == true, "\(faults)")
  }

  @Test("all errors of a file are reported at once, in order of their lines")
  func allFaults() throws {
    let faults = try folder.faults(
      of: """
        provide {
          charge = worker { lease = 0, attempts = 0 },
          mail = 3,
          ["a b"] = worker {},
          ping = worker { quue = 1 },
        }
        provide(7)
        provide.user = 3
        """)
    let places = faults.map { String($0.split(separator: " ")[0]) }
    #expect(places == places.sorted() && Set(places).count >= 4, "\(faults)")
    for part in [
      ":2: worker: lease must be", ":2: worker: attempts must be",
      "provide: mail must be a worker { ... }, an http { ... } or a command { ... }, not a number",
      "provide: a capability has a name, not a b", ":5: worker has no option quue",
      ":7: provide takes a table of capabilities: provide {",
      ":8: provide takes a table: provide { ... }, or provide.SCOPE { ... }",
    ] { #expect(faults.contains { $0.contains(part) }, "\(part): \(faults)") }
  }

  @Test(
    "provide and worker take tables",
    arguments: [
      ("provide(worker {})", "provide takes a table of capabilities"),
      ("provide { mail = worker \"x\" }", "worker takes its options in a table"),
      ("provide { [1] = worker {} }", "provide: a capability has a name, not 1"),
      (
        "provide { mail = worker }",
        "provide: mail must be a worker { ... }, an http { ... } or a command { ... }, not a function"
      ),
    ])
  func tables(text: String, sentence: String) throws {
    let faults = try folder.faults(of: text)
    #expect(faults.contains { $0.hasPrefix("order.host.lua:1: \(sentence)") }, "\(faults)")
  }

  @Test(
    "an assignment to provide is an error with its line",
    arguments: [
      ("local t = { provide = 1, provide = 2 }\nt.provide = 3\nprovide = { mail = worker {} }", 3),
      ("do local provide = 7 end\nif true then provide = {} end", 2),
    ])
  func assigned(text: String, line: Int) throws {
    let sentence = "provide takes a call: provide { ... }, or provide.SCOPE { ... }"
    #expect(try folder.faults(of: text) == ["order.host.lua:\(line): \(sentence)"])
  }

  @Test("a capability that is provided twice is an error that names both lines")
  func twice() throws {
    #expect(
      try folder.faults(
        of: "provide { mail = worker {} }\nprovide {\n mail = worker {},\n other = worker {} }")
        == ["order.host.lua:3: root.mail is provided twice: here and at order.host.lua:1"])
    #expect(try folder.faults(of: "provide { mail = worker {} }\nprovide {}") == [])
  }

  @Test("a capability of a scope that the flow does not declare is an error with its line")
  func undeclaredScopes() throws {
    let flow = try LoadedFlow(
      source: "state { n = 0 }\nscope.user { key = function(s) return s.n end }\naction.go {}",
      name: "order.lua"
    ).flow
    let file = try folder.load("provide { a = worker {} }\n\nprovide.usr { mail = worker {} }")
    #expect(
      file.faults(for: flow).map(\.description)
        == ["order.host.lua:3: order.lua declares no scope usr; did you mean user?"])
    let fit = try folder.load("provide { a = worker {} }\nprovide.user { mail = worker {} }")
    #expect(fit.faults(for: flow) == [])
  }

  @Test(
    "a script error in the file is reported with its line",
    arguments: [
      ("local x =", "unexpected symbol"), ("\nerror(\"no bank\")", "order.host.lua:2: no bank"),
      ("\n\nprovde { mail = worker {} }", "order.host.lua:3: global provde is not defined"),
      ("state { n = 0 }", "order.host.lua:1: global state is not defined"),
      ("action.go {}", "order.host.lua:1: global action is not defined"),
      ("io.open(\"/etc/passwd\")", "order.host.lua:1: global io is not defined"),
      ("os.getenv(\"HOME\")", "order.host.lua:1: global os is not defined"),
      ("debug.traceback()", "order.host.lua:1: global debug is not defined"),
    ])
  func errors(text: String, sentence: String) throws {
    let faults = try folder.faults(of: text)
    #expect(faults.count == 1 && faults[0].contains(sentence), "\(faults)")
  }

  @Test("an endless file is stopped by the limit, and a missing file is an error")
  func unreadable() throws {
    var limits = Limits()
    limits.instructionsPerLoad = 100_000
    let endless = try folder.faults(of: "while true do end", limits: limits)
    #expect(endless.first?.contains("the instruction limit is reached") == true, "\(endless)")
    let missing = folder.url.appending(path: "none.host.lua")
    let error = #expect(throws: FlowError.self) { _ = try HostFile(missing) }
    #expect(error?.description.contains("there is no such file") == true)
  }

  @Test("a file may require modules of its folder, whose errors have their own place")
  func modules() throws {
    try folder.write("return { queue = \"mail\" }", to: "mails.lua")
    let text = "local mails = require \"mails\"\nprovide { mail = worker { queue = mails.queue } }"
    #expect(try folder.load(text).tasks["root.mail"]?.queue == "mail")
    try folder.write("\nlocal mails = worker { lease = 0 }\nreturn mails", to: "mails.lua")
    let faults = try folder.faults(of: "provide { mail = require \"mails\" }")
    #expect(faults.count == 1 && faults[0].hasPrefix("mails.lua:2: worker: lease"), "\(faults)")
  }

  @Test("the host file beside a flow is found by its name")
  func beside() throws {
    let flow = folder.url.appending(path: "order.lua")
    #expect(HostFile.beside(flow) == nil)
    let file = try folder.write("provide {}")
    #expect(HostFile.beside(flow)?.path == file.path)
    #expect(HostFile.beside(folder.url.appending(path: "other.lua")) == nil)
  }
}
