import FlowKernel
import FlowLanguage
import Foundation
import LuaRuntime
import Testing

@testable import HostFiles

/// The time of calls whose functions wait for a VM of the host file.
@Suite(.timeLimit(.minutes(5))) struct HTTPPerformerTests {
  private let folder: HostFolder

  init() throws { folder = try HostFolder() }

  /// Returns the performer of a capability with these options, for whose functions no VM ever is free.
  private func busy(
    _ options: String, _ sender: FakeSender
  ) throws -> (performer: HTTPPerformer, task: PerformedTask) {
    let file = try folder.load(
      """
      provide { charge = http { "POST", "https://x.example/", timeout = "100ms", \(options) } }
      """)
    let text = try String(contentsOf: file.file, encoding: .utf8)
    let capability = try #require(file.capabilities.first)
    var performer = HTTPPerformer(
      capability: capability, options: try #require(capability.http), sender: sender,
      functions: HostFunctions(
        FlowSources(texts: [(name: "order.host.lua", text: text)]), limits: Limits(),
        texts: file.texts, most: 0),
      patterns: HostFilePatterns(Limits()), texts: file.texts)
    performer.patience = 0.1
    let task = OpenTask(
      call: "9f3c/o-17/e4/2", tryNumber: 1, effect: 4, position: "2", scope: "root",
      scopeKey: .nil, name: "charge", arguments: [:], kind: .http, queue: capability.queue,
      isOnce: false, opened: 0, deadline: nil)
    return (performer, PerformedTask(task, of: "o-17", attempt: 1))
  }

  @Test("the wait of request is a part of the timeout, after which nothing is sent")
  func request() async throws {
    let sender = FakeSender(.received(status: 200, headers: [], body: []))
    let (performer, task) = try busy("request = function() end", sender)
    let outcome = await performer.performer.perform(task)
    #expect(
      outcome.failure?.message == "charge: the functions of the host file were busy for 0.1 s")
    #expect(outcome.failure?.isFinal == false)
    #expect(sender.requests.isEmpty)
  }

  @Test("the wait of response is a part of the lease, after which the call is made again")
  func response() async throws {
    let sender = FakeSender(.received(status: 200, headers: [], body: []))
    let (performer, task) = try busy("response = function() end", sender)
    #expect(performer.performer.timeout == 200_000)
    #expect(await performer.performer.perform(task) == .interrupted)
    #expect(sender.requests.count == 1)
  }

  @Test("a request has the time that its function has left, in whole seconds")
  func time() async throws {
    let trial = try HTTPTrial(
      "\"GET\", \"https://x.example/\", timeout = \"10m\", request = function() end")
    let timeout = try await trial.request().timeout
    #expect((500...600).contains(timeout) && timeout == timeout.rounded())
  }
}
