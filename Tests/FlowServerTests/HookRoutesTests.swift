#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import Foundation
  import HTTPTesting
  import HostFiles
  import Logging
  import LuaRuntime
  import Synchronization
  import Testing

  @testable import FlowServer

  /// Webhooks over HTTP.
  @Suite(.timeLimit(.minutes(5))) struct HookRoutesTests {
    /// Webhooks that answer as their event says.
    private static let file = """
      local function run(event, request)
        if event.raise then error("no luck") end
        if event.echo then
          return { call = event.echo, result = { id = request.headers["x-token"] .. request.query.q } }
        end
        return event.answer
      end
      local token = { header = "X-Token", equals = { "0123456789", "abcdefghij" } }
      hooks.shop = { signature = token, actions = { "go", "mail" }, run = run }
      hooks.kind = { signature = token, actions = { "mail" }, run = run, refused = "accept" }
      hooks.github = { signature = "github", secret = "0123456789abcdef", run = run }
      hooks.stripe = { signature = "stripe", secret = "whsec_0123456789", run = run }
      """

    private static func serve(
      _ change: (inout ServerOptions) -> Void = { _ in },
      logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      _ body: @escaping @Sendable (ServedTasks) async throws -> Void
    ) async throws {
      try await ServedTasks.serve(change, hooks: file, logger: logger, body)
    }

    // MARK: Signatures

    @Test("a request without a signature, or with a wrong one, is told no more than that")
    func unsigned() async throws {
      try await Self.serve { served async throws in
        try await served.cases.create("a")
        let body = "{\"answer\":{\"case\":\"a\",\"action\":\"go\",\"key\":\"1\"}}"
        for headers in [[], ["X-Token: "], ["X-Token: 0123456788"], ["X-Tokn: 0123456789"]] {
          let answer = try await served.ask(
            "POST", "/hooks/shop", body, token: nil, headers: headers)
          #expect(answer.status == 401 && answer.problem == "bad-signature", "\(headers)")
          #expect(answer.detail == "the signature is missing or wrong")
          #expect(answer.body["who"] == nil && answer.body["place"] == nil)
        }
        // A token of the server is no signature.
        let token = try await served.ask("POST", "/hooks/shop", body)
        #expect(token.status == 401 && token.problem == "bad-signature")
        #expect(try await served.cases["a"].summary()?.revision == 0)
        for secret in ["0123456789", "abcdefghij"] {
          let answer = try await served.hook("shop", "{}", secret: secret)
          #expect(answer.status == 200 && answer.body == ["ignored": true], "\(answer.text)")
        }
      }
    }

    @Test("the signature is that of the bytes that came, within its time")
    func bytes() async throws {
      try await Self.serve { served async throws in
        func status(_ name: String, _ header: String, _ body: String) async throws -> Int? {
          try await served.ask(
            "POST", "/hooks/\(name)", body, token: nil, headers: [header]
          ).status
        }
        let (body, changed) = ("{\"a\": 1}", "{\"a\":  1}")
        let github =
          "X-Hub-Signature-256: "
          + "sha256=b1e93e658c35cf6bdd09379005bf5f6c86b2b1a346b79e4f188732f03f49adb6"
        let stripe =
          "Stripe-Signature: "
          + "t=1700000000,v1=892e29bd2e5ba319fdc94c86b2167543426003c1790eb1c932339254b60ff87e"
        #expect(try await status("github", github, body) == 200)
        #expect(try await status("github", github, changed) == 401)
        #expect(try await status("stripe", stripe, body) == 200)
        #expect(try await status("stripe", stripe, changed) == 401)
        served.wall.move(300)
        #expect(try await status("stripe", stripe, body) == 200)
        served.wall.move(1)
        #expect(try await status("stripe", stripe, body) == 401)
        #expect(try await status("github", github, body) == 200)
      }
    }

    // MARK: Actions

    @Test("an action is dispatched once for each key, by the webhook")
    func dispatch() async throws {
      try await Self.serve { served async throws in
        try await served.cases.create("a")
        let first =
          "\"case\":\"a\",\"action\":\"mail\",\"payload\":{\"text\":\"hi\"},\"key\":\"e-1\""
        for _ in 0..<3 {
          let answer = try await served.hook("shop", answering: first)
          #expect(answer.status == 200 && answer.body == ["revision": 1], "\(answer.text)")
        }
        let second = try await served.hook(
          "shop", answering: first.replacing("e-1", with: "e-2"))
        #expect(second.body == ["revision": 2])
        let reused = try await served.hook("shop", answering: first.replacing("hi", with: "ho"))
        #expect(reused.status == 409, "\(reused.text)")
        // The keys of one webhook are not those of another.
        let other = try await served.hook("kind", answering: first)
        #expect(other.body == ["revision": 3])
        let entries = try await served.ask("GET", "/cases/a/entries").body["entries"]?.listValue
        let by = (entries ?? []).flatMap { $0["transitions"]?.listValue ?? [] }
          .filter { $0["action"] == "mail" }.compactMap { $0["by"]?.stringValue }
        #expect(by == ["hook shop", "hook shop", "hook kind"])
      }
    }

    @Test("a case is created if the webhook says so, with a part of its state")
    func create() async throws {
      try await Self.serve { served async throws in
        let mail = "\"action\":\"mail\",\"payload\":{\"text\":\"hi\"},\"key\":\"e-1\""
        let missing = try await served.hook("shop", answering: "\"case\":\"b\",\(mail)")
        #expect(
          missing.status == 404 && missing.detail == "there is no such case: it was never created")
        for _ in 0..<2 {
          let answer = try await served.hook(
            "shop", answering: "\"case\":\"b\",\"create\":true,\(mail)")
          #expect(answer.status == 200 && answer.body == ["revision": 1], "\(answer.text)")
        }
        let given = try await served.hook(
          "shop", answering: "\"case\":\"c\",\"create\":{\"log\":[\"given\"]},\(mail)")
        #expect(given.status == 200)
        #expect(try await served.log("c").first == "given")
        let wrong = try await served.hook(
          "shop", answering: "\"case\":\"d\",\"create\":{\"lg\":[]},\(mail)")
        #expect(wrong.status == 500 && wrong.problem == "hook-failed", "\(wrong.text)")
        try await served.cases["c"].end()
        let ended = try await served.hook(
          "shop", answering: "\"case\":\"c\",\"create\":true,\(mail.replacing("e-1", with: "e-2"))")
        #expect(ended.status == 409, "\(ended.text)")
      }
    }

    @Test("a refused action is told with who and why, or is accepted")
    func refused() async throws {
      try await Self.serve { served async throws in
        try await served.cases.create("a")
        let spam =
          "\"case\":\"a\",\"action\":\"mail\",\"payload\":{\"text\":\"spam\"},\"key\":\"1\""
        let refused = try await served.hook("shop", answering: spam)
        #expect(refused.status == 409 && refused.detail == "no spam", "\(refused.text)")
        #expect(refused.body["who"] == "gate mail" && refused.body["place"] == nil)
        let accepted = try await served.hook("kind", answering: spam)
        #expect(
          accepted.status == 200
            && accepted.body == ["refused": true, "who": "gate mail", "why": "no spam"])
      }
    }

    // MARK: Calls

    @Test("a webhook answers an open call, and a repeat of the answer is taken")
    func answers() async throws {
      try await Self.serve { served async throws in
        try await served.start()
        let call = try await served.call()
        let wrong = try await served.hook("shop", answering: "\"call\":\"\(call)\",\"result\":7")
        #expect(wrong.status == 500 && wrong.problem == "hook-failed")
        #expect(try await served.log() == [])
        for _ in 0..<2 {
          let answer = try await served.hook(
            "shop", answering: "\"call\":\"\(call)\",\"result\":{\"id\":\"r-1\"}")
          #expect(answer.status == 200 && answer.body == ["answered": true], "\(answer.text)")
          #expect(try await served.log() == ["r-1"])
        }
        let other = try await served.hook(
          "shop", answering: "\"call\":\"\(call)\",\"result\":{\"id\":\"r-2\"}")
        #expect(other.status == 200 && other.body == ["unheard": true])
        #expect(try await served.log() == ["r-1"])
        let unknown = try await served.hook("shop", answering: "\"call\":\"none\",\"result\":{}")
        #expect(unknown.status == 404 && unknown.problem == "unknown-call")
      }
    }

    @Test("a webhook fails an open call, which the flow tries again unless that is final")
    func failures() async throws {
      try await Self.serve { served async throws in
        try await served.start()
        let call = try await served.call()
        let busy = try await served.hook(
          "shop", answering: "\"call\":\"\(call)\",\"error\":\"busy\"")
        #expect(busy.status == 200 && busy.body == ["answered": true], "\(busy.text)")
        #expect(try await served.log() == [])
        let final = "\"call\":\"\(call)\",\"error\":\"declined\",\"retryable\":false"
        #expect(try await served.hook("shop", answering: final).body == ["answered": true])
        #expect(try await served.log() == ["failed job: declined"])
      }
    }

    @Test("an answer that nothing waits for any more is kept as unheard")
    func unheard() async throws {
      try await Self.serve { served async throws in
        try await served.start()
        let call = try await served.call()
        _ = try await served.claim()
        try await served.cases["a"].end()
        let answer = try await served.hook(
          "shop", answering: "\"call\":\"\(call)\",\"result\":{\"id\":\"r-1\"}")
        #expect(answer.status == 200 && answer.body == ["unheard": true], "\(answer.text)")
        let listed = try await served.ask("GET", "/tasks?state=dead").tasks
        #expect(listed.first?["state"] == "unheard" && listed.first?["result"] == ["id": "r-1"])
      }
    }

    @Test("the function gets the headers and the query, and a form as a record")
    func request() async throws {
      try await Self.serve { served async throws in
        try await served.start()
        let call = try await served.call()
        let answer = try await served.ask(
          "POST", "/hooks/shop?q=+%C3%A9", "echo=\(call.replacing("/", with: "%2F"))&b=1&b=2",
          token: nil,
          headers: ["X-Token: 0123456789", "Content-Type: application/x-www-form-urlencoded"])
        #expect(answer.body == ["answered": true], "\(answer.text)")
        #expect(try await served.log() == ["0123456789 é"])
      }
    }
  }
#endif
