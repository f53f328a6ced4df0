import FlowHosting
import FlowKernel
import Foundation
import Testing

@testable import FuzzTargets

/// Runs a body on a thread of its own, since the tasks' threads, which answer capabilities, may not
/// be blocked.
private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
    let thread = Thread { done.resume(with: Result { try body() }) }
    thread.stackSize = 8 << 20
    thread.start()
  }
}

@Suite struct RandomFlowTests {
  @Test(
    "a random flow loads, and is the same for the same seed",
    arguments: [RandomFlow.Options(), .finite, .durableEffects])
  func loads(options: RandomFlow.Options) throws {
    for seed in 1...40 as ClosedRange<UInt64> {
      let random = RandomFlow(seed: seed, options)
      #expect(throws: Never.self, "seed \(seed):\n\(random.text)") {
        try LoadedFlow(source: random.text)
      }
      #expect(RandomFlow(seed: seed, options).text == random.text)
    }
  }

  @Test("a random payload is valid for its action")
  func payloads() throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let random = RandomFlow(seed: seed)
      let host = try FlowHost(
        source: random.text, options: HostOptions(clock: .virtual, print: { _ in }))
      for action in random.actions where !action.isInternal {
        for payload in action.payloads {
          guard case .failed(let failure) = try host.may(action.name, payload) else { continue }
          #expect(failure.kind != .payload, "seed \(seed): \(failure)")
        }
      }
    }
  }
}

@Suite struct RestartedCaseTests {
  @Test(
    "a case of a random flow behaves the same whether or not it is restarted after each turn",
    arguments: 1...16 as ClosedRange<UInt64>)
  func restarted(seed: UInt64) async throws {
    try await onThread {
      var count = RestartedCase.Count()
      try RestartedCase.play(seed: seed, turns: 40, &count)
    }
  }
}

@Suite struct KilledCaseTests {
  @Test(
    "durable effects that are killed anywhere call each capability once, with the same result",
    arguments: 1...12 as ClosedRange<UInt64>)
  func killed(seed: UInt64) async throws {
    try await onThread {
      var count = KilledCase.Count()
      try KilledCase.play(seed: seed, turns: 8, &count)
      #expect(count.schedules == 1)
    }
  }
}
