import LuaRuntime

extension Commit: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeCount(revision)
    writer.writeText(action)
    // Flags for postponed and for a stored `dispatchedBy`; the cause is stored as 0 for none, else as the cause + 1.
    let by = dispatchedBy
    writer.writeByte((isPostponed ? 1 : 0) | (by == nil ? 0 : 2))
    if let by { writer.writeText(by) }
    writer.writeCount(cause.map { $0 + 1 } ?? 0)
    writer.writeInteger(microseconds)
    withBytes { writes, payload in
      writer.writeBytes(payload)
      writer.writeBytes(writes)
    }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    let (revision, action) = (try reader.readCount(), try reader.readText())
    let flags = try reader.byte()
    if flags > 3 { throw ValueReader.Malformed() }
    let by = flags & 2 == 0 ? nil : try reader.readText()
    let cause = try reader.readCount()
    let time = try reader.readInteger()
    let (payload, writes) = (try reader.slice(), try reader.slice())
    self.init(
      revision: revision, action: action, cause: cause == 0 ? nil : cause - 1, microseconds: time,
      hostBegan: 0, writes: writes, payload: payload, secrets: nil, by: by,
      isPostponed: flags & 1 != 0)
  }
}
