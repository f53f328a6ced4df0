import CExplore
import FlowLanguage
import LuaRuntime

/// Saving a search to a checkpoint, and restoring it.
extension StateSearch {
  /// Saves a checkpoint; call it between two rounds of a level, or when the search is over.
  func save(to path: String) throws {
    guard let identity else { return }
    let output = try CheckpointWriter(path)
    Array(CheckpointFile.mark.utf8).withUnsafeBytes { _ = output.write($0) }
    for write in [identity.write, writeLore] as [(inout ValueWriter) -> Void] {
      var writer = ValueWriter()
      write(&writer)
      withUnsafeBytes(of: UInt64(writer.bytes.count).littleEndian) { _ = output.write($0) }
      writer.bytes.withUnsafeBytes { _ = output.write($0) }
    }
    let status = explore_save(
      search,
      { to, bytes, count in
        guard let to else { return false }
        return Unmanaged<CheckpointWriter>.fromOpaque(to).takeUnretainedValue()
          .write(UnsafeRawBufferPointer(start: bytes, count: count))
      }, Unmanaged.passUnretained(output).toOpaque())
    if let refused = output.refused { throw refused }
    try ExplorationError.check(status)
    try output.close()
  }

  /// Restores a checkpoint into an empty search.
  ///
  /// - Throws: `ExplorationError` if the checkpoint is of another exploration, or damaged.
  func restore(_ checkpoint: ExplorationCheckpoint) throws {
    let path = checkpoint.path
    let (reader, identity) = try ExplorationCheckpoint.open(path)
    if let now = self.identity, let difference = identity.difference(to: now) {
      throw ExplorationError(.setup, "\(path) cannot be resumed: \(difference)")
    }
    guard let lore = ExplorationCheckpoint.part(reader) else {
      throw CheckpointReader.damaged(path)
    }
    do {
      try lore.withUnsafeBytes { bytes in
        var reader = ValueReader(bytes)
        try readLore(&reader)
        guard reader.isAtEnd else { throw ValueReader.Malformed() }
      }
    } catch {
      throw CheckpointReader.damaged(path)
    }
    try slots.tellAll()
    let status = explore_restore(
      search,
      { from, bytes, count in
        guard let from, let bytes else { return false }
        return Unmanaged<CheckpointReader>.fromOpaque(from).takeUnretainedValue()
          .read(into: UnsafeMutableRawBufferPointer(start: bytes, count: count))
      }, Unmanaged.passUnretained(reader).toOpaque())
    if status == EXPLORE_NO_MEMORY {
      throw ExplorationError(
        .memory,
        "there is not enough memory for the states in \(path): use --memory with at least the value of the earlier run"
      )
    }
    guard status == EXPLORE_OK, reader.isAtEnd else { throw CheckpointReader.damaged(path) }
  }

  // MARK: Data of the Swift side

  private func writeLore(to writer: inout ValueWriter) {
    slots.write(to: &writer)
    writer.writeCount(reasons.count)
    for reason in reasons {
      writer.writeText(reason.text)
      writer.write(reason.place.map { .string($0.file) } ?? .nil)
      writer.writeInteger(reason.place?.line ?? 0)
      writer.writeByte(reason.isIdle ? 1 : 0)
    }
    writer.writeCount(looked.count)
    for (trie, slots) in looked.sorted(by: { $0.key < $1.key }) {
      writer.writeCount(Int(trie))
      writer.writeCount(slots.count)
      for slot in slots.sorted() { writer.writeCount(Int(slot)) }
    }
    writer.writeCount(missed.count)
    for (trie, misses) in missed.sorted(by: { $0.key < $1.key }) {
      writer.writeCount(Int(trie))
      writer.writeCount(misses.count)
    }
    writer.writeCount(played.count)
    for (trie, played) in played.sorted(by: { $0.key < $1.key }) {
      writer.writeCount(Int(trie))
      writer.writeCount(played.followed)
      writer.writeCount(played.unknown)
      writer.writeByte(played.isWhole ? 1 : 0)
      writer.writeCount(played.plans.count)
      for (plan, number) in played.plans.sorted(by: { $0.value < $1.value }) {
        writer.writeText(plan)
        writer.writeCount(Int(number))
      }
    }
    let transient = transient
    for names in [transient.actions, transient.states] {
      writer.writeCount(names.count)
      for name in names.sorted() { writer.writeText(name) }
    }
  }

  private func readLore(_ reader: inout ValueReader) throws(ValueReader.Malformed) {
    try slots.read(from: &reader)
    for _ in 0..<(try reader.readLength()) {
      let text = try reader.readText()
      let file = try reader.value().stringValue
      let line = try reader.readInteger()
      let reason = Reason(
        text: text, place: file.map { SourcePlace(file: $0, line: line) },
        isIdle: try reader.byte() == 1)
      _ = number(of: reason)
    }
    for _ in 0..<(try reader.readLength()) {
      let trie = try StateSearch.number(&reader)
      var slots: Set<UInt32> = []
      for _ in 0..<(try reader.readLength()) { slots.insert(try StateSearch.number(&reader)) }
      looked[trie] = slots
    }
    for _ in 0..<(try reader.readLength()) {
      let trie = try StateSearch.number(&reader)
      missed[trie] = Missed(count: try reader.readCount())
    }
    for _ in 0..<(try reader.readLength()) {
      let trie = try StateSearch.number(&reader)
      var actions = Played(
        followed: try reader.readCount(), unknown: try reader.readCount(),
        isWhole: try reader.byte() == 1)
      for _ in 0..<(try reader.readLength()) {
        actions.plans[try reader.readText()] = try StateSearch.number(&reader)
      }
      played[trie] = actions
    }
    for _ in 0..<(try reader.readLength()) {
      transientBefore.actions.insert(try reader.readText())
    }
    for _ in 0..<(try reader.readLength()) {
      transientBefore.states.insert(try reader.readText())
    }
  }

  private static func number(_ reader: inout ValueReader) throws(ValueReader.Malformed) -> UInt32 {
    guard let number = UInt32(exactly: try reader.readCount()) else {
      throw ValueReader.Malformed()
    }
    return number
  }
}
