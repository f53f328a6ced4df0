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

  @testable import FlowServer

  /// A flow whose effects open tasks, served to a test on a port of its own, with a wall clock that is set by hand.
  struct ServedTasks: RawAsked {
    /// A wall clock, in microseconds since 1970.
    final class Wall: Sendable {
      private let time = Mutex(1_700_000_000_000_000)
      var now: Int { time.withLock { $0 } }
      func move(_ seconds: Int) { time.withLock { $0 += seconds * 1_000_000 } }
    }

    static let source = """
      state { log = list {} }
      action.go { n = integer { default = 1 } }
      action.mail { text = string }
      internal.note { text = string }
      internal.failed { error = string }
      function reduce.note(s, a) table.insert(s.log, a.text) end
      function reduce.failed(s, a) table.insert(s.log, "failed " .. a.error) end
      effect.go = { durable = true, on_error = "failed", run = function(self, a)
        local answer = retry({ times = 2, wait = 0 }, function() return self:job(a.n) end)
        dispatch.note { text = answer.id }
      end }
      effect.mail = { durable = true, on_error = "failed", run = function(self, a)
        self:mail(a.text)
        dispatch.note { text = "mailed" }
      end }
      function gate.mail(s, a)
        if a.text == "spam" then return false, "no spam" end
        return true
      end
      """

    static let tokenFile = """
      aaaaaaaaaaaaaaaa boss all
      wwwwwwwwwwwwwwww worker work
      jjjjjjjjjjjjjjjj jobber work:jobs read
      tttttttttttttttt operator tasks
      rrrrrrrrrrrrrrrr reader read create
      """

    /// The tokens of the file above.
    static let (boss, worker, jobber, operatorToken, reader) = (
      "aaaaaaaaaaaaaaaa", "wwwwwwwwwwwwwwww", "jjjjjjjjjjjjjjjj", "tttttttttttttttt",
      "rrrrrrrrrrrrrrrr"
    )

    /// The capabilities: `job` with a typed result, and `mail` with secrets.
    static var capabilities: [String: TaskCapability] {
      [
        "job": TaskCapability(
          kind: .worker, queue: "jobs", attempts: 2,
          arguments: { values in ["n": values.first ?? .nil] },
          faults: { result in
            result["id"]?.stringValue == nil ? ["result.id must be a string"] : []
          }),
        "mail": TaskCapability(
          kind: .worker, queue: "mails", timeout: 3_600_000_000,
          arguments: { values in ["text": values.first ?? .nil] },
          hiding: { _ in ["text": "•••"] }, hidingResult: { _ in "•••" }),
      ]
    }

    let port: Int
    let service: HTTPService
    let cases: Cases
    let wall: Wall
    /// The host file, if there is one.
    let hostFile: HostFileInUse?

    var token: String { Self.boss }

    /// Serves while the body runs.
    ///
    /// - Parameters:
    ///   - hooks: the text of a host file with webhooks.
    ///   - notifications: the notifications of the cases, by name.
    static func serve(
      _ change: (inout ServerOptions) -> Void = { _ in },
      journal: (any JournalStorage)? = nil,
      hooks: String? = nil, notifications: [String: TaskCapability] = [:],
      logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      _ body: @escaping @Sendable (ServedTasks) async throws -> Void
    ) async throws {
      let wall = Wall()
      var caseOptions = HostOptions(clock: .virtual, report: { _ in })
      caseOptions.wall = { wall.now }
      let flow = try LoadedFlow(source: source, name: "shop.lua")
      let file = FileManager.default.temporaryDirectory.appending(
        path: "\(UUID().uuidString).host.lua")
      defer { try? FileManager.default.removeItem(at: file) }
      let hostFile = try hooks.map { text in
        try Data(text.utf8).write(to: file)
        return try HostFileInUse(HostFile(file), for: flow.flow, limits: Limits())
      }
      let kept = journal ?? MemoryJournal(keys: KeyAge(KeyAge.week, wall: { wall.now }))
      let cases = try await Cases(of: flow, in: kept, options: caseOptions) { scopes in
        for (name, capability) in capabilities { scopes.root.provide(name, capability) }
        for (name, notification) in notifications {
          scopes.capabilities.add(notification: name, notification)
        }
      }
      var options = ServerOptions(
        port: 0, tokens: try APITokens(file: tokenFile, named: "tokens"))
      change(&options)
      let service = HTTPService(options, logger: logger)
      CaseRoutes.mount(cases, hostFile: hostFile, on: service)
      let (ports, found) = AsyncStream.makeStream(of: Int.self)
      let running = Task { try await service.run { found.yield($0) } }
      for await port in ports {
        do {
          try await body(
            ServedTasks(
              port: port, service: service, cases: cases, wall: wall, hostFile: hostFile))
        } catch {
          running.cancel()
          throw error
        }
        break
      }
      service.streams.endAll()
      running.cancel()
      try await cases.close()
    }

    // MARK: Requests

    /// A response with its status and its body.
    struct Answer {
      let status: Int?
      let body: Value
      /// The whole text, with the headers.
      let text: String

      /// The last part of the path of the problem's type.
      var problem: String? {
        body["type"]?.stringValue?.split(separator: "/").last.map(String.init)
      }

      /// The sentence of the problem.
      var detail: String { body["detail"]?.stringValue ?? "" }

      /// The tasks that it lists.
      var tasks: [Value] { body["tasks"]?.listValue ?? [] }
    }

    /// Sends a request, and returns its answer.
    func ask(
      _ method: String, _ path: String, _ body: String? = nil, token: String? = ServedTasks.boss,
      headers: [String] = []
    ) async throws -> Answer {
      Self.answer(try await request(method, path, body, token: token, headers: headers))
    }

    /// Reads the text of a response.
    static func answer(_ text: String) -> Answer {
      let body = text.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
      return Answer(
        status: status(text), body: (try? JSONText.value(of: body)) ?? .nil, text: text)
    }

    /// Posts a body.
    func post(_ path: String, _ body: String = "{}", token: String? = ServedTasks.boss)
      async throws -> Answer
    {
      try await ask("POST", path, body, token: token)
    }

    /// Creates a case that waits for a task of `job`.
    func start(_ id: String = "a") async throws {
      try await cases.create(id)
      try await cases[id].dispatch("go")
    }

    /// Claims a task, and returns its number and its token.
    func claim(_ queue: String = "jobs", by worker: String = "one") async throws -> Claimed {
      let answer = try await post(
        "/tasks/claim", "{\"queues\":[\"\(queue)\"],\"worker\":\"\(worker)\"}")
      let task = answer.tasks.first
      return Claimed(
        id: task?["id"]?.stringValue ?? "none", token: task?["token"]?.stringValue ?? "none")
    }

    /// A task that was claimed.
    struct Claimed {
      let id: String
      let token: String

      /// Returns a body with the token and further fields.
      func body(_ fields: String = "") -> String {
        "{\"token\":\"\(token)\"\(fields.isEmpty ? "" : ",\(fields)")}"
      }
    }

    /// The notes of a case's effects, once the answers so far were delivered.
    func log(_ id: String = "a") async throws -> [String] {
      await cases.lookForAnswers()
      return try await cases[id].state()["log"]?.listValue?.compactMap(\.stringValue) ?? []
    }
  }
#endif
