import FlowKernel
import FlowLanguage
import LuaRuntime
@_spi(FlowHost) import StateBlocks

extension CaseImage {
  /// Restores a case from its snapshot and entries.
  ///
  /// - Throws: `JournalError`: `damaged` if there is neither, `unreadable` if this version cannot read one of them.
  package init(_ stored: StoredCase, of id: String) throws(JournalError) {
    var entries = stored.entries[...]
    guard let beginning = stored.snapshot?.body ?? entries.popFirst()?.body else {
      throw JournalError(.damaged, "case \(id): there is neither a snapshot nor an entry")
    }
    do throws(ValueReader.Malformed) {
      try self.init(image: beginning)
    } catch {
      throw CaseImage.unreadable(entry: stored.snapshot?.seq ?? 1, of: id)
    }
    for entry in entries {
      do throws(ValueReader.Malformed) {
        try take(entry: entry.body)
      } catch {
        throw CaseImage.unreadable(entry: entry.seq, of: id)
      }
    }
  }

  private static func unreadable(entry: Int, of id: String) -> JournalError {
    JournalError(
      .unreadable,
      "case \(id): this version of Moonlatch cannot read entry \(entry)")
  }
}
