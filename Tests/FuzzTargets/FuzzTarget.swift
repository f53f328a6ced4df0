import LuaRuntime

/// The entry points for random bytes; each throws what it finds.
///
/// The fuzzer and the tests call the same entry points; the tests replay the corpus.
package enum FuzzTarget: String, CaseIterable, Sendable {
  case barrier, value, flow, scenario, json, transcript, report, snapshot, log, document

  /// Plays one input.
  ///
  /// - Throws: `Finding` if a property does not hold.
  package func play(_ bytes: [UInt8]) throws {
    switch self {
    case .barrier: try playBarrier(bytes)
    case .value: try playValue(bytes)
    case .flow: try playFlow(bytes)
    case .scenario: try playScenario(bytes)
    case .json: try playJSON(bytes)
    case .transcript: try playTranscript(bytes)
    case .report: try playReport(bytes)
    case .snapshot: try playSnapshot(bytes)
    case .log: try playLog(bytes)
    case .document: try playDocument(bytes)
    }
  }
}

/// The error of a property that does not hold.
package struct Finding: Error, CustomStringConvertible {
  package let description: String
}

func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
  guard condition else { throw Finding(description: description()) }
}

/// Limits so small that an input that exhausts them is still played fast.
let smallLimits = Limits(
  instructionsPerDispatch: 20_000, instructionsPerLoad: 50_000, memory: 4 << 20,
  payload: 1 << 14, chain: 2_000, instructionsPerChain: 1_000_000, history: 20)

extension Value {
  /// The value without nil fields, with all empty tables equal, and with lists as maps of their keys.
  ///
  /// These are the differences that a patch does not keep outside the VM and that no report shows.
  var loose: Value {
    switch self {
    case .list(let elements):
      Value.loose(Dictionary(uniqueKeysWithValues: elements.enumerated().map { ($0 + 1, $1) }))
    case .record(let fields): .record(fields.filter { !$0.value.isNil }.mapValues(\.loose))
    case .map(let entries): Value.loose(entries)
    default: self
    }
  }

  private static func loose(_ entries: [Int: Value]) -> Value {
    let present = entries.filter { !$0.value.isNil }.mapValues(\.loose)
    return present.isEmpty ? .record([:]) : .map(present)
  }
}
