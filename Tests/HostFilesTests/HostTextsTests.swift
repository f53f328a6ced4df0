import Foundation
import LuaRuntime
import Testing

@testable import HostFiles

/// Texts of the environment and of files.
@Suite struct HostTextsTests {
  private let folder: HostFolder

  init() throws { folder = try HostFolder() }

  private func queue(_ text: String, _ source: HostTexts.Source = .variables([:])) throws -> String?
  {
    try folder.load("provide { a = worker { queue = \(text) } }", reading: source)
      .tasks["root.a"]?.queue
  }

  @Test("env gives the text of a variable, and takes a default for one that is not set")
  func variables() throws {
    let source = HostTexts.Source.variables(["QUEUE": "mails", "EMPTY": ""])
    #expect(try queue("env.QUEUE", source) == "mails")
    #expect(try queue("env(\"QUEUE\", \"other\")", source) == "mails")
    #expect(try queue("env(\"NONE\", \"other\")", source) == "other")
    #expect(try queue("env.EMPTY .. \"a\"", source) == "a")
    #expect(try queue("env.PATH ~= \"\" and \"some\" or \"none\"", .process) == "some")
  }

  @Test("each missing variable and file is a fault with its line, all at once")
  func missing() throws {
    let faults = try folder.faults(
      of: """
        local a = env.ONE .. env("TWO")
        local b = file("none.txt")
        local c = env("THREE", 3)
        env.FOUR = 4
        file(7)
        """)
    #expect(
      faults == [
        "order.host.lua:1: the environment variable ONE is not set; env(\"ONE\", \"...\") has a default",
        "order.host.lua:1: the environment variable TWO is not set; env(\"TWO\", \"...\") has a default",
        "order.host.lua:2: file: none.txt: there is no such file",
        "order.host.lua:3: env: the default of THREE must be a string, not a number",
        "order.host.lua:4: env.FOUR cannot be set: variables are only read",
        "order.host.lua:5: file takes a path, absolute or from the host file's folder: file(\"/run/secrets/bank\")",
      ])
  }

  @Test(
    "file gives a text without its last line break, from the host file's folder or from anywhere")
  func files() throws {
    try folder.write("mails\n", to: "one.txt")
    try folder.write("mails\r\n", to: "two.txt")
    try folder.write("mails", to: "three.txt")
    for name in ["one", "two", "three"] { #expect(try queue("file(\"\(name).txt\")") == "mails") }
    let path = folder.url.appending(path: "one.txt").path
    #expect(try queue("file(\"\(path)\")") == "mails")
    try folder.write("a\n\n", to: "four.txt")
    #expect(
      try folder.faults(of: "provide { a = worker { queue = file(\"four.txt\") } }").count == 1)
  }

  @Test("without reading, names stand in place of the texts")
  func names() throws {
    let file = try folder.load(
      """
      provide {
        a = http { "POST", env.BANK_URL .. "/charges/{id}", args = { "id" },
          headers = { A = file("/run/secrets/bank") }, tls = { ca = file("ca.pem") } },
        b = http { "GET", "https://" .. env("HOST", "x.example") .. ":" .. env.PORT .. "/" },
      }
      """, reading: .names)
    #expect(
      file.capabilities.map(\.summary) == [
        "POST $BANK_URL/charges/{id}", "GET https://$HOST:$PORT/",
      ])
  }

  @Test("texts of at least 8 bytes are replaced by their names, also as JSON writes them")
  func hiding() throws {
    try folder.write("key/\"1234\"\n", to: "bank.key")
    let variables = [
      "URL": "https://bank.example", "LONG": "https://bank.example/v2", "SHORT": "1234567",
    ]
    let texts = HostTexts(.variables(variables), folder: folder.url)
    #expect(texts.hiding("https://bank.example") == "https://bank.example")
    for name in variables.keys { _ = try texts.variable(name) }
    #expect(try texts.file("bank.key") == "key/\"1234\"")
    #expect(texts.hiding("to https://bank.example/v2/a") == "to $LONG/a")
    #expect(texts.hiding("to https://bank.example/v1 1234567") == "to $URL/v1 1234567")
    #expect(texts.hiding("\"key/\\\"1234\\\"\"") == "\"$bank.key\"")
    #expect(texts.hiding("https:\\/\\/bank.example") == "$URL")
    #expect(texts.hiding("é key/\"1234\" é") == "é $bank.key é")
  }

  @Test("faults and summaries show names in place of the texts")
  func shown() throws {
    let source = HostTexts.Source.variables(["BANK_URL": "https://bank.example"])
    #expect(
      try folder.load(
        "provide { a = http { \"POST\", env.BANK_URL .. \"/charges\" } }", reading: source
      )
      .capabilities.map(\.summary) == ["POST $BANK_URL/charges"])
    let faults = try folder.faults(
      of: "provide { a = worker { queue = env.BANK_URL } }\nerror(\"no \" .. env.BANK_URL)",
      reading: source)
    #expect(!faults.isEmpty && faults.allSatisfy { !$0.contains("bank.example") }, "\(faults)")
    #expect(faults.contains { $0.contains("$BANK_URL") })
  }
}
