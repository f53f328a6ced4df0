#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import Foundation
  import HTTPTesting
  import HostFiles
  import Logging
  import LuaRuntime
  import Platform
  import Testing

  @testable import FlowServer

  /// Requests to webhooks that fail, and what the log and the metrics say of them.
  @Suite(.timeLimit(.minutes(5))) struct HookFailuresTests {
    private final class Lines: Sendable {
      private let lines = Mutex<[String]>([])
      var all: [String] { lines.withLock { $0 } }
      func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct LineHandler: LogHandler {
      let lines: Lines
      var metadata: Logger.Metadata = [:]
      var logLevel = Logger.Level.notice
      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
      }
      func log(event: LogEvent) {
        lines.add("\(event.metadata?["path"] ?? "") \(event.metadata?["why"] ?? "")")
      }
    }

    /// A webhook that answers as its event says.
    private static let file = """
      hooks.shop = {
        signature = { header = "X-Token", equals = "0123456789" }, actions = { "mail" },
        run = function(event, request)
          if event.raise then error("no luck") end
          if event.loop then while true do end end
          if event.leak then error("the path is " .. env.PATH) end
          if event.call then
            return { call = event.call, error = "the path is " .. env.PATH, retryable = false }
          end
          if event.long then
            return { call = event.long, error = ("é"):rep(10000), retryable = false }
          end
          return event.answer
        end,
      }
      """

    private static func serve(
      _ change: (inout ServerOptions) -> Void = { _ in },
      logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      _ body: @escaping @Sendable (ServedTasks) async throws -> Void
    ) async throws {
      try await ServedTasks.serve(change, hooks: file, logger: logger, body)
    }

    @Test("an error of the function or of the host file is logged with its line, and not sent")
    func failed() async throws {
      let lines = Lines()
      let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
      try await Self.serve(logger: logger) { served async throws in
        try await served.cases.create("a")
        let mail = "\"case\":\"a\",\"action\":\"mail\""
        for (body, part) in [
          ("{\"raise\":true}", "host.lua:4: no luck"), ("{\"loop\":true}", "instruction limit"),
          ("{\"leak\":true}", "host.lua:6: the path is $PATH"),
          ("{\"answer\":{\(mail)}}", "run returned no key"), ("{\"answer\":7}", "got 7"),
          (
            "{\"answer\":{\"case\":\"a\",\"action\":\"go\",\"key\":\"1\"}}",
            "run returned the action go, which its actions do not name"
          ),
          (
            "{\"answer\":{\"case\":\"new\",\"action\":\"go\",\"key\":\"1\",\"create\":true}}",
            "run returned the action go"
          ),
          (
            "{\"answer\":{\"case\":\"a\",\"action\":\"note\",\"key\":\"1\"}}",
            "run returned the action note"
          ),
          (
            "{\"answer\":{\(mail),\"payload\":{\"text\":7},\"key\":\"1\"}}",
            "action mail: text must be a string, got 7"
          ),
        ] {
          let before = lines.all.count
          let answer = try await served.hook("shop", body)
          #expect(answer.status == 500 && answer.problem == "hook-failed", "\(answer.text)")
          #expect(answer.detail == "the webhook has failed; the log of the server says why")
          let logged = lines.all.dropFirst(before)
          #expect(logged.count == 1, "\(body)")
          #expect(
            logged.first?.hasPrefix("/hooks/shop hooks.shop (") == true
              && logged.first?.contains(part) == true, "\(logged)")
        }
        #expect(try await served.cases["a"].summary()?.revision == 0)
        #expect(try await served.cases["new"].summary() == nil)
      }
    }

    @Test("the error of a call has no text of the host file, and 4 KiB at most")
    func errorTexts() async throws {
      try await Self.serve { served async throws in
        try await served.start()
        let call = try await served.call()
        #expect(
          try await served.hook("shop", "{\"call\":\"\(call)\"}").body == ["answered": true])
        #expect(try await served.log() == ["failed job: the path is $PATH"])
        try await served.cases["a"].dispatch("go")
        let second = try await served.call()
        #expect(
          try await served.hook("shop", "{\"long\":\"\(second)\"}").body == ["answered": true])
        let logged = try await served.log().last
        #expect(logged == "failed job: " + String(repeating: "é", count: 2_048))
      }
    }

    @Test(
      "an unknown webhook is not found, and no other is named; others than POST are not allowed")
    func unknown() async throws {
      try await Self.serve { served async throws in
        for name in ["shp", "none", "shop2"] {
          let answer = try await served.hook(name, "{}")
          #expect(answer.status == 404 && answer.problem == "unknown-hook", "\(name)")
          #expect(answer.detail == "there is no such webhook" && !answer.text.contains("shop"))
        }
        for method in ["GET", "PUT", "DELETE"] {
          let answer = try await served.ask(method, "/hooks/shop", token: nil)
          #expect(answer.status == 405 && answer.text.contains("Allow: POST"), "\(answer.text)")
        }
      }
      try await ServedTasks.serve { served async throws in
        #expect(try await served.hook("shop", "{}").status == 404)
      }
    }

    @Test("a body that is too large, no JSON, or of another type is refused")
    func bodies() async throws {
      try await Self.serve({ $0.longestBody = 100 }) { served async throws in
        let large = try await served.hook("shop", "\"\(String(repeating: "x", count: 99))\"")
        #expect(large.status == 413 && large.problem == "too-large")
        let malformed = try await served.hook("shop", "{")
        #expect(malformed.status == 400 && malformed.problem == "malformed")
        let other = try await served.ask(
          "POST", "/hooks/shop", "<a/>", token: nil,
          headers: ["X-Token: 0123456789", "Content-Type: text/xml"])
        #expect(other.status == 415 && other.problem == "media-type")
        let more = try await served.ask(
          "POST", "/hooks/shop", "{}", token: nil,
          headers: [
            "X-Token: 0123456789", "Content-Type: application/cloudevents+json; charset=utf-8",
          ])
        #expect(more.status == 200 && more.body == ["ignored": true])
        let empty = try await served.hook("shop", "")
        #expect(empty.status == 200 && empty.body == ["ignored": true])
      }
    }

    @Test("a server that changes nothing, and one that has too much to do, handle no webhook")
    func closed() async throws {
      try await Self.serve({ $0.isReadOnly = true }) { served async throws in
        #expect(try await served.hook("shop", "{}").status == 403)
      }
      try await Self.serve({ $0.maximumHooks = 0 }) { served async throws in
        let busy = try await served.hook("shop", "{}")
        #expect(busy.status == 503 && busy.problem == "hooks-busy")
        #expect(busy.text.contains("Retry-After: 1"))
      }
      try await Self.serve({ $0.maximumHooks = 1 }) { served async throws in
        for _ in 0..<3 { #expect(try await served.hook("shop", "{}").status == 200) }
        for _ in 0..<3 { #expect(try await served.hook("shop", "{").status == 400) }
        #expect(try await served.hook("shop", "{}").status == 200)
      }
    }

    @Test("a body that comes slowly does not keep other requests from being handled")
    func slowBody() async throws {
      try await Self.serve({ $0.maximumHooks = 1 }) { served async throws in
        let slow = served.bytes(
          "POST", "/hooks/shop", "{\"answer\":null}", token: nil, headers: ["X-Token: 0123456789"])
        let connection = try RawConnection(port: served.port)
        await connection.send(Array(slow.dropLast(4)))
        for _ in 0..<3 { #expect(try await served.hook("shop", "{}").status == 200) }
        await connection.send(Array(slow.suffix(4)))
        #expect(ServedTasks.status(await connection.receive()) == 200)
      }
    }

    @Test("requests are counted by webhook and class, but not those to unknown ones")
    func metrics() async throws {
      try await Self.serve { served async throws in
        for _ in 0..<2 { _ = try await served.hook("shop", "{}") }
        _ = try await served.hook("shop", "{}", secret: "wrong")
        _ = try await served.hook("shop", "{\"raise\":true}")
        _ = try await served.hook("other", "{}")
        let text = served.service.meters.text()
        for (kind, count) in [("ignored", "2.0"), ("unsigned", "1.0"), ("failed", "1.0")] {
          #expect(
            text.contains("moonlatch_hooks_total{hook=\"shop\",class=\"\(kind)\"} \(count)"),
            "\(text)")
        }
        #expect(!text.contains("hook=\"other\""))
      }
    }

    @Test("a file that is read again has the webhooks that it declares now")
    func reload() async throws {
      try await Self.serve { served async throws in
        let hostFile = try #require(served.hostFile)
        let text = Self.file.replacing("hooks.shop", with: "hooks.store")
        try Data(text.utf8).write(to: hostFile.file.file)
        try hostFile.reload()
        #expect(try await served.hook("shop", "{}").status == 404)
        #expect(try await served.hook("store", "{}").status == 200)
      }
    }
  }

  extension ServedTasks {
    /// Sends an event to a webhook whose secret is a header.
    func hook(_ name: String, _ body: String, secret: String = "0123456789") async throws -> Answer
    {
      try await ask("POST", "/hooks/\(name)", body, token: nil, headers: ["X-Token: \(secret)"])
    }

    /// Sends an event that says what its webhook returns.
    func hook(_ name: String, answering fields: String) async throws -> Answer {
      try await hook(name, "{\"answer\":{\(fields)}}")
    }

    /// The id of the only open call.
    func call() async throws -> String {
      try await ask("GET", "/tasks").tasks.first?["call"]?.stringValue ?? "none"
    }
  }
#endif
