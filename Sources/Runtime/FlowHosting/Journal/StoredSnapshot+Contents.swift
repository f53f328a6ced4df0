import FlowKernel
import FlowLanguage
import LuaRuntime

extension StoredSnapshot {
  /// Returns the snapshot as an entry: an image of the case after the entry of that number.
  ///
  /// - Throws: `JournalError` if this version of Moonlatch cannot read it.
  package func entry() throws(JournalError) -> JournalEntry {
    do throws(ValueReader.Malformed) {
      return JournalEntry(
        seq: seq, flow: flow, wall: 0, body: body,
        revision: try CaseImage(image: body).caseState.revision)
    } catch {
      throw JournalError(
        .unreadable,
        "this version of Moonlatch cannot read the snapshot after entry \(seq)"
      )
    }
  }
}
