#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTesting
  import Logging
  import ServiceLifecycle
  import Testing

  @testable import FlowServer

  @Suite struct HTTPServiceTests {
    @Test("a shutdown ends streams, answers running requests and accepts no more")
    func askedToEnd()
      async throws
    {
      let cases = try await Cases(
        of: LoadedFlow(source: ServedFlow.source, name: "shop.lua"), in: MemoryJournal())
      try await cases.create("a")
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let service = HTTPService(
        ServerOptions(port: 0, tokens: APITokens(everything: ServedFlow.token)), logger: logger)
      CaseRoutes.mount(cases, on: service)
      let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
      let (releases, release) = AsyncStream.makeStream(of: Void.self)
      service.routes.get("slow") { _ in
        arrived.yield()
        for await _ in releases { break }
        return .json(["done": true])
      }
      let (ports, found) = AsyncStream.makeStream(of: Int.self)
      let group = ServiceGroup(
        services: [Listening(service: service, tell: { found.yield($0) })], logger: logger)
      let running = Task { try await group.run() }
      var iterator = ports.makeAsyncIterator()
      let port = try #require(await iterator.next())
      let served = ServedFlow(port: port, service: service, cases: cases)

      let stream = try RawConnection(port: port)
      await stream.send(
        served.bytes("GET", "/cases/a/views/status/events", token: ServedFlow.token))
      #expect(await stream.receive(until: "data: ").contains("200 OK"))
      let entries = try RawConnection(port: port)
      await entries.send(served.bytes("GET", "/cases/a/events", token: ServedFlow.token))
      #expect(await entries.receive(until: "data: ").contains("200 OK"))
      let begun = try RawConnection(port: port)
      await begun.send(served.bytes("GET", "/slow", token: ServedFlow.token))
      var arriving = arrivals.makeAsyncIterator()
      _ = await arriving.next()

      await group.triggerGracefulShutdown()
      #expect(await stream.receive().hasSuffix("0\r\n\r\n"))
      #expect(await entries.receive().hasSuffix("0\r\n\r\n"))
      release.yield()
      #expect(await begun.receive().contains("\"done\":true"))
      try await running.value
      #expect(throws: RawConnection.Failure.self) { try RawConnection(port: port) }
      try await cases.close()
    }

    private struct Listening: Service {
      let service: HTTPService
      let tell: @Sendable (Int) -> Void
      func run() async throws { try await service.run { tell($0) } }
    }
  }
#endif
