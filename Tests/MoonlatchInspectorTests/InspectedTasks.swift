#if Server
  import FlowCases
  import FlowHosting
  import FlowInspector
  import FlowKernel
  import HTTPTesting
  import Logging
  import LuaRuntime

  @testable import FlowServer
  @testable import MoonlatchInspector

  /// An inspector of cases with tasks that a test asks with tokens of different rights.
  struct InspectedTasks: RawAsked {
    /// Tokens with all rights, with that to look after tasks, with that to read, and with that to work.
    static let (all, staff, reader, worker) = (
      "0123456789abcdef-all", "0123456789abcdef-staff", "0123456789abcdef-read",
      "0123456789abcdef-work"
    )

    private static let source = """
      state { sent = "" }
      action.post { text = string }
      internal.sent { id = string }
      internal.failed { error = string }
      function reduce.sent(s, a) s.sent = a.id end
      function reduce.failed(s, a) s.sent = a.error end
      effect.post = { durable = true, on_done = "sent", on_error = "failed",
        run = function(self, a) return { id = self:letter(a.text).id } end }
      """

    let port: Int
    let cases: Cases
    var token: String { InspectedTasks.all }

    /// Inspects cases while the body runs; the task of each is dead.
    static func inspect(
      _ ids: [String], isReadOnly: Bool = false,
      _ body: @escaping @Sendable (InspectedTasks) async throws -> Void
    ) async throws {
      let cases = try await Cases(
        of: LoadedFlow(source: source, name: "mail.lua"), in: MemoryJournal(),
        options: HostOptions(print: { _ in }, report: { _ in })
      ) { scopes in
        scopes.root.provide(
          "letter",
          TaskCapability(
            kind: .worker, queue: "post", lease: 0, attempts: 1,
            arguments: { ["text": $0.first ?? .nil, "pin": "hidden-4711"] },
            faults: { $0["id"]?.stringValue == nil ? ["result.id must be a string"] : [] },
            hiding: { ["text": $0["text"] ?? .nil, "pin": "•••"] }))
      }
      for id in ids {
        try await cases.create(id).dispatch("post", ["text": "<b>hello</b>"])
      }
      for _ in 1...2 {
        _ = try await cases.tasks.claim(from: ["post"], most: 100, by: "w", waiting: .zero)
      }
      let tokens = try APITokens(
        file: "\(all) ann all\n\(staff) eve read tasks\n\(reader) bob read\n\(worker) w work",
        named: "tokens")
      let service = HTTPService(
        ServerOptions(port: 0, tokens: tokens, isReadOnly: isReadOnly),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      InspectorRoutes.mount(
        Inspection(InspectedCases(cases), isReadOnly: isReadOnly), on: service, at: "inspect")
      let (ports, found) = AsyncStream.makeStream(of: Int.self)
      let running = Task { try await service.run { found.yield($0) } }
      for await port in ports {
        do {
          try await body(InspectedTasks(port: port, cases: cases))
        } catch {
          running.cancel()
          throw error
        }
        break
      }
      running.cancel()
      try await cases.close()
    }

    /// Asks the inspector, and returns the status and the JSON of its answer.
    func ask(
      _ method: String, _ path: String, _ body: String? = nil, token: String = InspectedTasks.all
    ) async throws -> (status: Int?, json: Value) {
      let answer = try await request(method, "/inspect/api/\(path)", body, token: token)
      guard let end = answer.firstRange(of: "\r\n\r\n") else { return (nil, .nil) }
      return (
        InspectedTasks.status(answer), try JSONText.value(of: String(answer[end.upperBound...]))
      )
    }
  }
#endif
