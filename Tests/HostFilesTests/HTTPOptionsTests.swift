import FlowKernel
import FlowLanguage
import LuaRuntime
import Testing

@testable import HostFiles

/// The options of the word http.
@Suite struct HTTPOptionsTests {
  private let folder: HostFolder

  init() throws { folder = try HostFolder() }

  private func options(_ text: String) throws -> HTTPOptions {
    try #require(folder.load("provide { charge = http { \(text) } }").capabilities.first?.http)
  }

  private func capability(_ text: String) throws -> TaskCapability {
    try #require(folder.load("provide { charge = http { \(text) } }").tasks["root.charge"])
  }

  @Test("a capability by http has defaults, and a queue that no worker can name")
  func defaults() throws {
    let options = try options("\"POST\", \"https://x.example/charges\"")
    #expect(options.timeout == 30 && options.atOnce == 32 && options.mostBytes == 1 << 20)
    #expect(options.network == .publicOnly && !options.allowsPlain && options.tls == nil)
    #expect(options.body == .json && options.answers.isEmpty && options.callback == nil)
    let capability = try capability("\"POST\", \"https://x.example/charges\"")
    #expect(capability.kind == .http && capability.queue == "#root.charge")
    #expect(capability.timeout == nil && capability.lease == 35_000_000)
    #expect(capability.performer == nil)
  }

  @Test(
    "a performer has the timeout and the number of requests at once, a callback the task's time")
  func times() throws {
    let file = try folder.load(
      """
      provide.user { pay = http { "POST", "https://x.example/", timeout = "2m", at_once = 4,
        callback = "1h" } }
      """)
    let sender = FakeSender(.interrupted)
    let pay = try #require(file.tasks(sender: sender)["user.pay"])
    #expect(pay.performer?.atOnce == 4 && pay.performer?.timeout == 120_000_000)
    #expect(pay.timeout == 3_600_000_000 && pay.lease == 125_000_000)
    #expect(pay.queue == "#user.pay")
    #expect(file.capabilities.map(\.summary) == ["POST https://x.example/, callback 1 h"])
  }

  @Test("requests go where the file says: to an address, to private networks, or to public ones")
  func networks() throws {
    let networks: [(url: String, option: String, network: HTTPTaskNetwork)] = [
      ("http://localhost:8080/", "", .named), ("http://127.0.0.1/", "", .named),
      ("https://[::1]/", "", .named), ("https://LOCALHOST/", "private = true", .named),
      ("https://bank.internal/", "private = true", .privateToo),
      ("https://x.example/", "", .publicOnly), ("https://127.1/", "", .publicOnly),
      ("https://0127.0.0.1/", "", .publicOnly), ("https://1.2.3.256/", "", .publicOnly),
      ("https://localhost.example/", "", .publicOnly),
    ]
    for (url, option, network) in networks {
      #expect(try options("\"GET\", \"\(url)\", \(option)").network == network, "\(url)")
    }
  }

  @Test("files of TLS are texts in PEM")
  func tls() throws {
    try folder.write("-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n", to: "a.pem")
    let options = try options(
      """
      "GET", "https://x.example/", plain = true,
      tls = { ca = file("a.pem"), cert = file("a.pem"), key = file("a.pem") }
      """)
    #expect(options.allowsPlain)
    let text = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n"
    #expect(options.tls == HTTPTaskTLS(authorities: text, certificate: text, key: text))
  }

  @Test(
    "each fault of the options names its line",
    arguments: [
      (
        "\"post\", \"https://x/\"",
        "the method must be GET, HEAD, POST, PUT, PATCH or DELETE, got post"
      ),
      ("\"GET\"", "the URL is missing"), ("\"GET\", 7", "the URL must be a string, not a number"),
      ("\"GET\", \"https://x/\", \"more\"", "http has no option 3"),
      ("\"GET\", \"https://x/\", tiemout = 1", "http has no option tiemout; did you mean timeout?"),
      ("\"GET\", \"x\"", "the URL must begin with https:// or http://, got \"x\""),
      ("\"GET\", \"https://{a}/\"", "{a} stands in the host"),
      ("\"GET\", \"https://x/\", timeout = \"11m\"", "timeout must be a duration from 0.1s to 10m"),
      ("\"GET\", \"https://x/\", at_once = 0", "at_once must be a whole number from 1 to 1000"),
      ("\"GET\", \"https://x/\", max = 20000000", "max must be a whole number from 1 to 16777216"),
      ("\"GET\", \"https://x/\", private = 1", "private must be true or false, got 1"),
      ("\"GET\", \"https://x/\", plain = \"yes\"", "plain must be true or false, got yes"),
      ("\"GET\", \"https://x/\", tls = { ca = \"a.pem\" }", "tls.ca takes the text of a PEM file"),
      ("\"GET\", \"https://x/\", tls = { pem = \"a\" }", "tls has no field pem"),
      ("\"GET\", \"https://x/\", tls = { key = \"-----BEGIN \" }", "tls needs both cert and key"),
      ("\"GET\", \"http://x/\", tls = {}", "tls needs a URL with https://"),
      ("\"GET\", \"https://x/\", args = { { \"a\", 7 } }", "http.a: a number is not a type"),
      ("\"GET\", \"https://x/\", result = 7", "http.result: a number is not a type"),
      (
        "\"GET\", \"https://x/\", headers = { [\"A B\"] = \"x\" }",
        "A B is not a valid name of a header"
      ),
      (
        "\"GET\", \"https://x/\", headers = { Host = \"x\" }",
        "the header Host is set by the client"
      ),
      (
        "\"GET\", \"https://x/\", headers = { A = \"x\\ny\" }",
        "the header A must not have line breaks"
      ),
      (
        "\"GET\", \"https://x/\", headers = { A = \"x\\ry\" }",
        "the header A must not have line breaks"
      ),
      ("\"GET\", \"https://x/\", headers = { A = \"x\\0y\" }", "must not have control characters"),
      ("\"GET\", \"https://x/\", headers = { A = 1 }", "headers.A must be a string, not a number"),
      ("\"GET\", \"https://x/\", headers = { A = \"\", a = \"\" }", "is given twice"),
      ("\"GET\", \"https://x/\", body = \"json\"", "a GET request has no body"),
      (
        "\"POST\", \"https://x/\", body = \"xml\"",
        "body must be \"json\", \"form\" or \"none\", got xml"
      ),
      ("\"POST\", \"https://x/\", key = true", "key takes the name of a header"),
      (
        "\"POST\", \"https://x/\", key = { header = \"a b\" }",
        "key: a b is not a valid name of a header"
      ),
      (
        "\"POST\", \"https://x/\", headers = { [\"idempotency-key\"] = \"1\" }",
        "with key = false you can set it"
      ),
      ("\"GET\", \"https://x/\", answers = { 200 }", "answers takes statuses from 300 to 599"),
      ("\"GET\", \"https://x/\", answers = 404", "answers takes a list of statuses"),
      ("\"GET\", \"https://x/\", request = 1", "request must be a function, not a number"),
      ("\"GET\", \"https://x/\", callback = \"0s\"", "callback must be a duration from 1s to 366d"),
      (
        "\"GET\", \"https://x/\", callback = \"1h\", response = function() end",
        "the answer comes through a hook"
      ),
      (
        "\"GET\", \"https://x/{curency}\", args = { \"currency\" }",
        "{curency} in the URL is no argument; did you mean currency?"
      ),
      ("\"GET\", \"https://x/{a}\", args = { b = string }", "{a} in the URL is no argument"),
      ("\"GET\", \"https://x/{key}\"", "{key} is the key of a scope, which root does not have"),
      (
        "\"GET\", \"https://x/{case}\", args = { \"case\" }",
        "{case} is no argument, but set by the server"
      ),
    ])
  func faults(options: String, sentence: String) throws {
    let faults = try folder.faults(of: "provide {\n  charge = http { \(options) } }")
    #expect(faults.count == 1, "\(faults)")
    #expect(
      faults.first?.hasPrefix("order.host.lua:2: http") == true
        && faults.first?.contains(sentence) == true, "\(faults)")
  }

  @Test("faults of options, of URLs and of other words are reported at once, shared ones once")
  func allFaults() throws {
    let faults = try folder.faults(
      of: """
        local rate = http { "GET", "https://x/{y}", args = {} }
        provide { a = rate, b = rate }
        provide { c = http { "GET", "https://x/#" }, d = worker { lease = 0 },
          e = http { "GET", "https://x/", timeout = 0, max = 0 } }
        http("GET")
        """)
    #expect(faults.count == 6, "\(faults)")
    for part in [
      ":1: http: {y}", ":3: http: the URL has a frag", ":3: worker: lease", ":4: http: timeout",
      ":4: http: max", ":5: http takes a method, a URL and options in a table",
    ] { #expect(faults.contains { $0.contains(part) }, "\(part): \(faults)") }
  }

  @Test("a fault of a URL shows no part of a text of the environment")
  func secretURL() throws {
    let secret = String(repeating: "0123456789", count: 20)
    do {
      _ = try folder.load(
        "provide { charge = http { \"GET\", env.TOKEN } }", reading: .variables(["TOKEN": secret]))
      Issue.record("the URL was accepted")
    } catch let error as FlowError {
      #expect(
        error.faults.first?.message
          == "http: the URL must begin with https:// or http://, got \"$TOKEN\"")
    }
  }

  @Test("arguments that cannot be sent are an error at the call")
  func unsendable() throws {
    let rate = try capability("\"GET\", \"https://x/{currency}\", args = { \"currency\", \"day\" }")
    #expect(arguments(of: ["EUR", 1], rate).0 == ["currency": "EUR", "day": 1])
    for (values, error) in [
      ([".", 1], "the path must not have . as a segment"),
      (["", 1], "currency stands in the path, and is empty"),
      ([["a"], 1], "currency must be a text, a number or a boolean here, not a list"),
      (["EUR", ["a": 1]], "day must be a text, a number or a boolean here, not a record"),
    ] as [([Value], String)] {
      #expect(arguments(of: values, rate).error == error)
    }
    let any = try capability("\"GET\", \"https://x/{currency}\"")
    #expect(arguments(of: [["day": 1]], any).error == "currency is missing: it stands in the URL")
    #expect(arguments(of: [["currency": "EUR", "days": [1, 2]]], any).error == "")
    let post = try capability("\"POST\", \"https://x/\"")
    #expect(
      arguments(of: [["n": .number(.infinity)]], post).error == "JSON has no number math.huge")
  }
}
