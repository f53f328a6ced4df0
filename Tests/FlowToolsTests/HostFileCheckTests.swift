import Foundation
import HostFiles
import Scenarios
import Testing

@testable import FlowTools

/// Findings about a flow and its host file.
@Suite struct HostFileCheckTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private static let flow = """
    state { user = optional(string) }
    action.go { cents = integer }
    action.rename { name = string }
    scope.user { key = function(s) return s.user end, actions = { "rename" } }
    effect.go = { durable = true, run = function(self, a)
      self:charge(a.cents, "EUR")
      self:mail("receipt")
    end }
    effect.rename = { durable = true, run = function(self, a) self:store { name = a.name } end }
    function reduce.go(s) s.user = "u" end
    """

  private static let host = """
    provide {
      charge = worker { args = { { "cents", integer { min = 1 } }, { "currency", string } } },
      mail = worker { queue = "mail", args = { "text" } },
    }
    provide.user { store = worker { args = { name = string, size = optional(integer) } } }
    """

  /// The findings about a flow and a host file in the folder, without that.
  private func findings(_ host: String?, of flow: String = flow) throws -> [String] {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(flow.utf8).write(to: folder.appending(path: "a.lua"))
    if let host { try Data(host.utf8).write(to: folder.appending(path: "a.host.lua")) }
    let checker = Checker([folder.path], readFlow: ScenarioFile.readFlow)
    #expect(checker.fileCount == (host == nil ? 1 : 2))
    return checker.findings.map { $0.description.replacing(folder.path + "/", with: "") }
  }

  @Test("a flow that fits its host file has no findings")
  func fine() throws { #expect(try findings(Self.host) == []) }

  @Test("a flow without a host file has no findings about capabilities")
  func withoutHostFile() throws { #expect(try findings(nil) == []) }

  @Test("a call that nobody provides is an error at its line")
  func missing() throws {
    let host = Self.host.replacing("mail = worker", with: "mial = worker")
    #expect(
      try findings(host) == [
        "a.host.lua:3: warning: nothing in a.lua calls mial; did you mean mail? [unused-capability]",
        "a.lua:7: error: nobody provides root.mail: name it in a.host.lua; did you mean mial?",
      ])
  }

  @Test(
    "arguments that do not fit are warnings",
    arguments: [
      (
        "self:mail(\"receipt\", 2)",
        "a.lua:7: warning: mail: it takes 1 argument (text), and got 2 [wrong-argument]"
      ),
      ("self:mail()", "a.lua:7: warning: mail: text is missing [wrong-argument]"),
      (
        "self:charge(0, \"EUR\") self:mail(\"receipt\")",
        "a.lua:7: warning: charge: cents must be an integer of at least 1, got 0 [wrong-argument]"
      ),
      (
        "self:charge(\"5\") self:mail(\"receipt\")",
        "a.lua:7: warning: charge: cents must be an integer of at least 1, got \"5\" [wrong-argument]"
      ),
      (
        "self:charge(5) self:mail(\"receipt\")",
        "a.lua:7: warning: charge: currency is missing [wrong-argument]"
      ),
    ])
  func arguments(call: String, told: String) throws {
    let flow = Self.flow.replacing("self:mail(\"receipt\")", with: call)
    #expect(try findings(Self.host, of: flow).contains(told))
  }

  @Test("the fields of the one record that a call takes are checked")
  func record() throws {
    func found(_ argument: String) throws -> [String] {
      let test = try HostFileCheckTests()
      return try test.findings(
        Self.host,
        of: Self.flow.replacing("self:store { name = a.name }", with: "self:store\(argument)"))
    }
    let place = "a.lua:9: warning: store"
    #expect(
      try found("{ nam = \"x\" }") == [
        "\(place) has no field nam; did you mean name? [wrong-argument]",
        "\(place): name is missing [wrong-argument]",
      ])
    #expect(
      try found("(1)") == ["\(place): it takes one record: self:store { ... } [wrong-argument]"])
    #expect(
      try found("({ name = \"x\" }, 1)") == [
        "\(place): it takes one record: self:store { ... } [wrong-argument]"
      ])
    #expect(try found("{ name = \"x\", size = 2 }") == [])
    #expect(try found("(a)") == [])
  }

  @Test("arguments whose number or type is not known are not reported")
  func unknown() throws {
    let flow = Self.flow.replacing(
      "self:mail(\"receipt\")",
      with: "self:charge(table.unpack({ 1, \"EUR\" })) self:mail(self:charge(1, \"EUR\"))")
    #expect(try findings(Self.host, of: flow) == [])
  }

  @Test("a plain effect that calls a worker is a warning, which a comment allows")
  func plain() throws {
    let flow = Self.flow.replacing("effect.go = { durable = true,", with: "effect.go = {")
    let told =
      "is performed at most once, and a restart ends it; durable = true lets it go on [unrepeated-task]"
    #expect(
      try findings(Self.host, of: flow) == [
        "a.lua:6: warning: effect.go is not durable: the task of charge \(told)",
        "a.lua:7: warning: effect.go is not durable: the task of mail \(told)",
      ])
    let allowed = flow.replacing("(self, a)\n", with: "(self, a) -- check: allow unrepeated-task\n")
      .replacing(
        "self:mail(\"receipt\")", with: "self:mail(\"receipt\") -- check: allow unrepeated-task")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(try findings(Self.host, of: allowed) == [])
  }

  @Test("calls of http are checked as those of workers, without the environment and files")
  func http() throws {
    let host = """
      provide {
        charge = http { "POST", env.BANK_URL .. "/charges/{currency}", headers = { A = file("none") },
          args = { { "cents", integer { min = 1 } }, { "currency", string } } },
        mail = http { "POST", env.MAIL_URL, args = { "text" }, callback = "1h" },
        rate = http { "GET", "https://x.example/{a}", args = { "a" } },
      }
      provide.user { store = worker() }
      """
    let flow = Self.flow.replacing("effect.go = { durable = true,", with: "effect.go = {")
      .replacing("\"EUR\"", with: "7")
    #expect(
      try findings(host, of: flow) == [
        "a.host.lua:5: warning: nothing in a.lua calls rate [unused-capability]",
        "a.lua:6: warning: charge: currency must be a string, got 7 [wrong-argument]",
        "a.lua:7: warning: effect.go is not durable: the task of mail is performed at most once, "
          + "and a restart ends it; durable = true lets it go on [unrepeated-task]",
      ])
    let test = try HostFileCheckTests()
    let wrong = host.replacing("{currency}", with: "{curency}")
      .replacing("callback", with: "calback")
    #expect(
      try test.findings(wrong) == [
        "a.host.lua:2: error: http: {curency} in the URL is no argument; did you mean currency?",
        "a.host.lua:4: error: http has no option calback; did you mean callback?; it takes answers, "
          + "args, at_once, body, callback, headers, key, max, plain, private, request, response, "
          + "result, timeout, tls",
      ])
  }

  @Test("calls of commands are checked too, without looking their programs up")
  func commands() throws {
    let host = """
      provide {
        charge = command { "no-such-program", env.MODE, "{currency}",
          args = { { "cents", integer { min = 1 } }, { "currency", string } } },
        mail = command { "no-such-program", "{txt}", args = { "text" } },
      }
      provide.user { store = worker() }
      """
    #expect(
      try findings(host) == [
        "a.host.lua:4: error: command: {txt} in the command is no argument; did you mean text?"
      ])
    let test = try HostFileCheckTests()
    let flow = Self.flow.replacing("\"EUR\"", with: "7")
    #expect(
      try test.findings(host.replacing("{txt}", with: "{text}"), of: flow) == [
        "a.lua:6: warning: charge: currency must be a string, got 7 [wrong-argument]"
      ])
  }

  @Test("all faults of a host file are errors, scopes that the flow does not have among them")
  func faults() throws {
    #expect(
      try findings(
        """
        provide { charge = worker { lease = "a while" }, mail = worker { queue = "a b" } }
        provide.usr { store = worker() }
        """
      ).count == 2)
    let test = try HostFileCheckTests()
    #expect(
      try test.findings(Self.host.replacing("provide.user", with: "provide.usr")) == [
        "a.host.lua:5: error: a.lua declares no scope usr; did you mean user?",
        "a.lua:9: error: nobody provides user.store: name it in a.host.lua",
      ])
  }

  @Test("a host file without a flow beside it is checked alone")
  func alone() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "b.host.lua")
    try Data("provide { mail = 1 }".utf8).write(to: file)
    let checker = Checker([file.path], readFlow: ScenarioFile.readFlow)
    #expect(checker.findings.map(\.severity) == [.error])
    #expect(checker.findings.first?.fault.line == 1)
    #expect(checker.fileCount == 1)
  }

  @Test("checking a host file by name checks its flow too")
  func named() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let flow = folder.appending(path: "a.lua")
    let file = folder.appending(path: "a.host.lua")
    try Data(Self.flow.utf8).write(to: flow)
    try Data("provide {}".utf8).write(to: file)
    let checker = Checker([file.path], readFlow: ScenarioFile.readFlow)
    #expect(checker.fileCount == 2)
    #expect(checker.count(.error) == 3)
    let other = Checker([flow.path], hostFile: .none, readFlow: ScenarioFile.readFlow)
    #expect(other.fileCount == 1)
    #expect(other.count(.error) == 0)
  }
}
