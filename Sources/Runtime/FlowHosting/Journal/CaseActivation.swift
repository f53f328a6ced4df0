import FlowKernel
import FlowLanguage
import LuaRuntime

/// A case as a journal returns it to its new writer.
struct CaseActivation: Sendable {
  /// The text that takes the case over, and its number in the journal.
  package let flow: LoadedFlow
  package let number: Int
  /// The stored case; nil for a new one.
  package let stored: StoredCase?
  /// The text of the case's last entry.
  let previous: JournaledFlow?
  /// The journal's identity.
  package let identity: JournalIdentity

  /// Becomes the writer of a case, and reads it.
  ///
  /// - Throws: `JournalError`: `knownCase` and `unknownCase`, as `births` demands; `damaged`.
  package static func read(
    _ id: String, of flow: LoadedFlow, _ births: CaseBirth, adopting: Bool,
    in journal: any JournalStorage
  ) async throws -> CaseActivation {
    let identity = try await journal.identify(as: flow.flow.name, adopting: adopting)
    let stored = try await journal.activate(id)
    switch (births, stored) {
    case (.given, .some): throw CaseBirth.known(id)
    case (.never, nil):
      throw JournalError(
        .unknownCase, "there is no case \(id): create it first")
    default: break
    }
    let number = try await journal.keep(JournaledFlow(flow))
    guard let stored else {
      return CaseActivation(
        flow: flow, number: number, stored: nil, previous: nil, identity: identity)
    }
    let latest = stored.entries.last?.flow ?? stored.snapshot?.flow ?? 0
    guard let previous = try await journal.flow(latest) else {
      throw JournalError(.damaged, "case \(id): the journal has no source of its flow")
    }
    return CaseActivation(
      flow: flow, number: number, stored: stored, previous: previous, identity: identity)
  }
}

/// The condition under which a case is created.
package enum CaseBirth {
  /// The case is created if it does not exist.
  case ifUnknown
  /// The case must exist.
  case never
  /// The case must be new, and begins with this part of the state; the key is stored with it.
  case given(Value, key: String?)

  package static func known(_ id: String) -> JournalError {
    JournalError(.knownCase, "case \(id) exists already, or existed once")
  }
}
