import FlowHosting
import FlowKernel
import LuaRuntime

extension JournalEntry.Contents {
  /// Returns the new waits of effects, in order of number.
  package func effectsWaitingValues(epoch: Int?) -> [Value] {
    effectsWaiting.sorted { $0.key < $1.key }.map { number, waits in
      ["number": .integer(number), "waits_for": .list(waits.map { $0.value(epoch: epoch) })]
    }
  }

  /// Returns the failed attempts, each with its effect's number.
  package func attemptsFailedValues(epoch: Int?) -> [Value] {
    attemptsFailed.map { effect, attempt in
      guard case .record(var fields) = attempt.value(epoch: epoch) else { return .nil }
      fields["number"] = .integer(effect)
      return .record(fields)
    }
  }
}
