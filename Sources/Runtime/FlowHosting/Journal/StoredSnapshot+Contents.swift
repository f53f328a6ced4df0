import FlowKernel
import FlowLanguage
import LuaRuntime

extension StoredSnapshot {
  /// The same as an entry: all that the case is after the one of that number.
  ///
  /// - Throws: `JournalError`, where it is none that this version of Moonlatch can read.
  package func entry() throws(JournalError) -> JournalEntry {
    do throws(ValueReader.Malformed) {
      return JournalEntry(
        seq: seq, flow: flow, wall: 0, body: body,
        revision: try CaseImage(image: body).caseState.revision)
    } catch {
      throw JournalError(
        .unreadable,
        "the snapshot after entry \(seq) is none that this version of Moonlatch can read"
      )
    }
  }
}
