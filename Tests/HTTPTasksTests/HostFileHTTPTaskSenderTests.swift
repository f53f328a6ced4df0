#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import Foundation
  import LuaRuntime
  import Testing

  @testable import HTTPTasks

  /// Host files in a program of one's own.
  @Suite(.timeLimit(.minutes(5))) struct HostFileHTTPTaskSenderTests {
    @Test("cases send the requests of a host file while they are open")
    func sends() async throws {
      let server = try await ScriptedServer(
        .response("200 OK", "{\"rate\":1.25}", "Content-Type: application/json"))
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let url = folder.appending(path: "rates.host.lua")
      let text = """
        provide { rate = http { "GET", "http://127.0.0.1:\(server.port)/rates/{currency}", args = { "currency" } } }
        """
      try Data(text.utf8).write(to: url)
      let flow = try LoadedFlow(
        source: """
          state { rate = optional(number) }
          action.ask {}
          internal.rated { rate = number }
          effect.ask = { durable = true, on_done = "rated", run = function(self)
            return { rate = self:rate("EUR").rate }
          end }
          function reduce.rated(s, a) s.rate = a.rate end
          """, name: "rates.lua")

      let file = try HostFile(url)
      let sender = HTTPTaskSender()
      let cases = try await Cases(of: flow, in: MemoryJournal()) {
        file.provide(to: &$0, sending: sender)
      }
      let one = try await cases.create("a")
      try await one.dispatch("ask")
      while try await one.state()["rate"] != 1.25 { try await Task.sleep(for: .milliseconds(2)) }
      try await cases.close()
      await sender.close()
      #expect(server.record.requests.count == 1)
      try await server.close()
    }
  }
#endif
