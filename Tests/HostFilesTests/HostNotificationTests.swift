import FlowHosting
import FlowKernel
import FlowLanguage
import Foundation
import LuaRuntime
import Testing

@testable import HostFiles

/// Notifications of host files.
@Suite struct HostNotificationTests {
  private let folder: HostFolder
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  init() throws { folder = try HostFolder() }

  private func load(_ options: String = "") throws -> HostFile {
    try folder.load(
      """
      provide {}
      notify.erp = http { "POST", env.ERP_URL .. "/events/{case}", secret = env.ERP_SECRET,
        \(options)
      }
      """,
      reading: .variables([
        "ERP_URL": "https://erp.example", "ERP_SECRET": HostNotificationTests.secret,
      ]))
  }

  /// Sends an event, and returns the outcome with the request.
  private func send(
    _ file: HostFile, _ response: HTTPTaskResponse
  ) async throws -> (outcome: PerformedOutcome, request: HTTPTaskRequest) {
    let sender = FakeSender(response)
    let performer = try #require(file.notifications.first?.capability(sender).performer)
    let event = OpenTask(
      call: "j/erp/o-17/41.0", tryNumber: 1, effect: 0, position: "erp",
      scope: OpenTask.notificationScope, name: "erp",
      arguments: ["case": "o-17", "by": .nil, "views": ["status": "paid"]], kind: .notification,
      queue: "#notify.erp", isOnce: false, opened: 0, deadline: nil)
    let outcome = await performer.perform(PerformedTask(event, of: "o-17", attempt: 1))
    return (outcome, try #require(sender.requests.first))
  }

  @Test("a notification has rules, a line, and a request without the texts of the environment")
  func declared() throws {
    let file = try load(
      "on = { \"paid\", \"sent\" }, views = { \"status\" }, payload = true, give_up = \"1h\"")
    let notification = try #require(file.notifications.first)
    #expect(notification.title == "notify.erp")
    #expect(notification.place.description == "order.host.lua:2")
    #expect(notification.summary == "POST $ERP_URL/events/{case}, on paid, sent")
    #expect(notification.rules.actions == ["paid", "sent"])
    #expect(notification.rules.views == ["status"] && notification.rules.hasPayload)
    #expect(notification.rules.giveUp == 3_600_000_000)
    let plain = try #require(try load().notifications.first)
    #expect(plain.rules.actions == nil && plain.rules.views.isEmpty && !plain.rules.hasPayload)
    #expect(plain.rules.giveUp == 3 * 24 * 3_600_000_000)
    #expect(plain.summary == "POST $ERP_URL/events/{case}")
  }

  @Test("a file without secrets, as check reads it, has its notifications")
  func names() throws {
    let file = try folder.load(
      "notify.erp = http { \"POST\", env.ERP_URL .. \"/x\", secret = env.ERP_SECRET }",
      reading: .names)
    #expect(file.notifications.map(\.name) == ["erp"])
  }

  @Test(
    "each fault names the line of the notification",
    arguments: [
      ("", "secret must be a text, or a list of texts"),
      (
        "secret = \"whsec_no base64\"",
        "secret: secret 1 must be whsec_ and a key of at least 8 bytes in base64"
      ),
      ("secret = \"whsec_AAAAAAAAAAAAAAAA\", on = \"paid\"", "on takes a list of names"),
      (
        "secret = \"whsec_AAAAAAAAAAAAAAAA\", on = {}",
        "on names no action, so that nothing is sent"
      ),
      (
        "secret = \"whsec_AAAAAAAAAAAAAAAA\", on = { 7 }",
        "name 1 of on must be in quotes, not a number"
      ),
      ("secret = \"whsec_AAAAAAAAAAAAAAAA\", views = { a = 1 }", "views takes a list of names"),
      ("secret = \"whsec_AAAAAAAAAAAAAAAA\", payload = 1", "payload must be true or false, got 1"),
      (
        "secret = \"whsec_AAAAAAAAAAAAAAAA\", give_up = \"soon\"",
        "give_up must be a duration from 1s to 366d"
      ),
      (
        "secret = \"whsec_AAAAAAAAAAAAAAAA\", args = {}",
        "a notification has no option args; it takes give_up"
      ),
      (
        "secret = \"whsec_AAAAAAAAAAAAAAAA\", response = function() end",
        "a notification has no option response"
      ),
    ])
  func faults(options: String, sentence: String) throws {
    let faults = try folder.faults(
      of: "provide {}\nnotify.erp = http {\n  \"POST\", \"https://x/\", \(options) }")
    #expect(faults.count == 1, "\(faults)")
    #expect(
      faults.first?.hasPrefix("order.host.lua:2: notify.erp") == true
        && faults.first?.contains(sentence) == true, "\(faults)")
  }

  @Test("an option that neither capabilities nor notifications have is reported once")
  func unknownOption() throws {
    for (option, name) in [("tiemout", "timeout"), ("secrt", "secret"), ("veiws", "views")] {
      let faults = try folder.faults(
        of: "notify.erp = http { \"POST\", \"https://x/\", secret = \"whsec_AAAAAAAAAAAAAAAA\", "
          + "\(option) = 1 }")
      #expect(faults.count == 1, "\(faults)")
      #expect(
        faults.first?.contains("http has no option \(option); did you mean \(name)?") == true,
        "\(faults)")
    }
  }

  @Test("a notification is declared once, by http with POST, under a name of its own")
  func forms() throws {
    let http = "http { \"POST\", \"https://x/\", secret = \"whsec_AAAAAAAAAAAAAAAA\" }"
    for (text, sentence) in [
      ("notify.erp = worker {}", "1: notify.erp must be an http { \"POST\", URL, secret ="),
      ("notify.erp = 7", "1: notify.erp must be an http"),
      ("notify[\"a b\"] = \(http)", "1: notify: a notification has a name of 1 to 64 letters"),
      ("notify.a = \(http)\nnotify.a = \(http)", "2: notify.a is declared twice"),
      ("notify { a = \(http) }", "1: a notification is declared as notify.NAME"),
      ("notify = { a = \(http) }", " notify is not assigned as a whole"),
      (
        "notify.a = http { \"GET\", \"https://x/\", secret = \"whsec_AAAAAAAAAAAAAAAA\" }",
        "1: notify.a: the method of a notification must be POST"
      ),
      (
        "provide { a = \(http) }",
        "1: provide: a: secret is an option of notifications, notify.NAME = http { ... }"
      ),
      (
        "notify.a = http { \"POST\", \"https://x/{cents}\", secret = \"whsec_AAAAAAAAAAAAAAAA\" }",
        "1: http: {cents} in the URL is no argument"
      ),
    ] {
      let faults = try folder.faults(of: text)
      #expect(faults.count == 1 && faults[0].hasPrefix("order.host.lua:\(sentence)"), "\(faults)")
    }
  }

  @Test("actions and views that the flow does not declare are faults with the line")
  func misfits() throws {
    let flow = try LoadedFlow(
      source: "state {}\ninternal.paid {}\nfunction view.status(s) return 1 end",
      name: "order.lua"
    ).flow
    let file = try load("on = { \"paid\", \"paidd\" }, views = { \"status\", \"statuss\" }")
    #expect(
      file.faults(for: flow).map(\.description) == [
        "order.host.lua:2: notify.erp: order.lua declares no action paidd; did you mean paid?",
        "order.host.lua:2: notify.erp: order.lua declares no view statuss; did you mean status?",
      ])
  }

  @Test("the cases get the notification with the capabilities")
  func provided() throws {
    var scopes = HostScopes()
    try load("on = { \"paid\" }").provide(to: &scopes)
    let capability = try #require(scopes.capabilities.tasks["#notify.erp"])
    #expect(capability.kind == .notification && capability.queue == "#notify.erp")
    #expect(capability.performer == nil && capability.notification?.actions == ["paid"])
    #expect(scopes.capabilities.scopes.isEmpty)
  }

  // MARK: Requests

  @Test("a request has the event as JSON, and is signed as Standard Webhooks are")
  func request() async throws {
    let (outcome, request) = try await send(
      try load("headers = { [\"X-Team\"] = \"sales\" }"),
      .received(status: 204, headers: [], body: []))
    #expect(outcome == .answered(.answer(.nil)))
    #expect(request.method == "POST" && request.url == "https://erp.example/events/o-17")
    let body = try #require(request.body)
    #expect(
      String(decoding: body, as: UTF8.self)
        == "{\"by\":null,\"case\":\"o-17\",\"views\":{\"status\":\"paid\"}}")
    #expect(request.headers.value(of: "webhook-id") == "j/erp/o-17/41.0")
    #expect(request.headers.value(of: "Content-Type") == "application/json")
    #expect(request.headers.value(of: "X-Team") == "sales")
    #expect(request.headers.value(of: "Idempotency-Key") == nil)
    let now = Int(Date().timeIntervalSince1970)
    let signature = HookSignature(.standard, secrets: [HostNotificationTests.secret])
    #expect(signature.isValid(for: body, now: now) { request.headers.value(of: $0) })
    #expect(!signature.isValid(for: body + [32], now: now) { request.headers.value(of: $0) })
  }

  @Test("while a secret is replaced, the request has a signature of each")
  func secrets() {
    let (old, new) = ("whsec_AAAAAAAA", HostNotificationTests.secret)
    let both = HookSignature(.standard, secrets: [old, new])
    let headers = [
      "webhook-id": "1", "webhook-timestamp": "1000",
      "webhook-signature": both.signatures(of: [1, 2], id: "1", time: 1_000),
    ]
    for secret in [old, new] {
      let one = HookSignature(.standard, secrets: [secret])
      #expect(one.isValid(for: [1, 2], now: 1_000) { headers[$0] })
    }
  }

  @Test("anything but 2xx is tried again, after Retry-After; 410 is the end")
  func responses() async throws {
    let file = try load()
    func outcome(of response: HTTPTaskResponse) async throws -> PerformedOutcome {
      try await send(file, response).outcome
    }
    for status in [301, 400, 401, 404, 503] {
      let failed = try await outcome(
        of: .received(status: status, headers: [], body: Array("no\n".utf8)))
      #expect(failed.failure?.message == "\(status) no" && failed.failure?.isFinal == false)
    }
    let busy = try await outcome(
      of: .received(status: 429, headers: [HTTPTaskHeader("Retry-After", "30")], body: []))
    #expect(busy.failure?.after == 30)
    #expect(
      try await outcome(of: .received(status: 410, headers: [], body: [])) == .dead("410"))
    for response in [HTTPTaskResponse.failed("no route"), .refused("no route")] {
      #expect(try await outcome(of: response).failure?.message == "no route")
    }
    #expect(try await outcome(of: .interrupted) == .interrupted)
  }
}
