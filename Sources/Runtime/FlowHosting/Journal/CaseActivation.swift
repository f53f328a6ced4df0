import FlowKernel
import FlowLanguage
import LuaRuntime

/// A case as a journal has given it to whoever becomes its writer.
struct CaseActivation: Sendable {
  /// The text that takes the case over, and the number under which the journal has it.
  package let flow: LoadedFlow
  package let number: Int
  /// The case as it was stored; nil for one that begins.
  package let stored: StoredCase?
  /// The text that was at work before.
  let previous: JournaledFlow?
  /// The journal's identity.
  package let identity: JournalIdentity

  /// Becomes the writer of a case, and reads it.
  ///
  /// - Throws: `JournalError`: `knownCase` and `unknownCase`, as `births` says; `damaged`.
  package static func read(
    _ id: String, of flow: LoadedFlow, _ births: CaseBirth, adopting: Bool, in journal: any Journal
  ) async throws -> CaseActivation {
    let identity = try await journal.identify(as: flow.flow.name, adopting: adopting)
    let stored = try await journal.activate(id)
    switch (births, stored) {
    case (.given, .some): throw CaseBirth.known(id)
    case (.never, nil):
      throw JournalError(
        .unknownCase, "case \(id): there is none of that id; create it first")
    default: break
    }
    let number = try await journal.keep(JournaledFlow(flow))
    guard let stored else {
      return CaseActivation(
        flow: flow, number: number, stored: nil, previous: nil, identity: identity)
    }
    let latest = stored.entries.last?.flow ?? stored.snapshot?.flow ?? 0
    guard let previous = try await journal.flow(latest) else {
      throw JournalError(.damaged, "case \(id): the texts of its flow are not kept")
    }
    return CaseActivation(
      flow: flow, number: number, stored: stored, previous: previous, identity: identity)
  }
}

/// How a host's case comes into being.
package enum CaseBirth {
  /// If there is none of its id.
  case ifUnknown
  /// It has to be there.
  case never
  /// It must not have been there, and begins with this; the key is kept with it.
  case given(Value, key: String?)

  package static func known(_ id: String) -> JournalError {
    JournalError(.knownCase, "case \(id): there is one of that id already, or was")
  }
}
