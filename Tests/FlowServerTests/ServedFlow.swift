#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTesting
  import Logging

  @testable import FlowServer

  /// A flow that is served to a test, on a port of its own.
  struct ServedFlow: RawAsked {
    static let token = "0123456789abcdef0123456789abcdef"
    static let source = """
      local cents = integer { min = 1 }
      state { cents = optional(cents), pin = optional(string { secret = true }), word = "" }
      action.place { cents = cents, far = optional(integer), word = optional(string { pattern = "^%l+$", max_length = 5 }) }
      action.pay {}
      action.say { word = string }
      action.tell { pin = string { secret = true } }
      action.break_ {}
      action.loop {}
      action.sink {}
      action.nap {}
      action.stumble {}
      action.insist {}
      machine.order { initial = "empty", empty = { place = "open" }, open = { pay = "done" }, done = { final = true } }
      function reduce.place(s, a) s.cents = a.cents end
      function reduce.tell(s, a) s.pin = a.pin end
      function reduce.break_(s) error("it broke") end
      function reduce.loop(s) while true do end end
      function reduce.sink(s) s.cents = 1 error({}) end
      function reduce.say(s, a) s.word = a.word end
      function invariant.lucky(s) return s.word ~= "thirteen", "thirteen is no luck" end
      function effect.nap() sleep(1000) end
      function effect.stumble() error("no luck", 0) end
      function effect.insist() retry({ times = 2, wait = 1000 }, function() error("not yet", 0) end) end
      function view.long(s) return s.word .. string.rep("x", 100000) end
      function view.status(s) return s.order end
      function view.picky(s) if s.word == "bad" then error("no such word", 0) end return s.word end
      """

    let port: Int
    let service: HTTPService
    let cases: Cases

    var token: String { Self.token }

    /// Serves while the body runs.
    static func serve(
      _ change: (inout ServerOptions) -> Void = { _ in },
      journal: any JournalStorage = MemoryJournal(),
      logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      _ body: @escaping @Sendable (ServedFlow) async throws -> Void
    ) async throws {
      let flow = try LoadedFlow(source: source, name: "shop.lua")
      let cases = try await Cases(of: flow, in: journal)
      var options = ServerOptions(port: 0, tokens: APITokens(everything: token))
      // A busy machine is no journal that hangs.
      options.probeTime = .seconds(60)
      change(&options)
      let service = HTTPService(options, logger: logger)
      CaseRoutes.mount(cases, on: service)
      let (ports, found) = AsyncStream.makeStream(of: Int.self)
      let running = Task { try await service.run { found.yield($0) } }
      for await port in ports {
        do {
          try await body(ServedFlow(port: port, service: service, cases: cases))
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
  }
#endif
