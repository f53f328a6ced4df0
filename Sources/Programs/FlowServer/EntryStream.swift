#if Server
  import FlowCases
  import LuaRuntime

  /// A stream of the entries of a case as events: the existing entries, then each new one as it is stored.
  struct EntryStream: Sendable {
    let one: Case
    let texts: CaseTexts

    /// Sends the entries until no more come.
    ///
    /// If the requested entries are not all there, the listener first gets the state instead. This happens if they were
    /// compacted, or if the journal is not the one that the listener followed before.
    func run(after lastID: String?, from: Int?, to sink: EventSink) async throws {
      var next = 1
      if let known = try await first(after: lastID, from: from) {
        next = known
      } else {
        let (state, seq) = try await current()
        try await sink.send(JSONText.text(state), id: String(seq), event: "reset")
        next = seq + 1
      }
      for try await entry in one.entries(from: next) {
        // The JSON text itself is freed before the event has left.
        let event = EventSink.text(
          JSONText.text(try texts.json(entry)), id: String(entry.seq), event: "entry")
        try await sink.send(event)
      }
    }

    /// Returns the number of the first entry to send; nil if requested entries are not there.
    ///
    /// A listener that asks for no number starts at whatever the journal still has.
    private func first(after lastID: String?, from: Int?) async throws -> Int? {
      guard let lastID else {
        guard let from else { return 1 }
        return try await isThere(from) ? from : nil
      }
      guard let last = OutsideNumber.integer(lastID, in: OutsideNumber.counts) else { return nil }
      return try await isThere(last + 1) ? last + 1 : nil
    }

    /// Returns true if the journal has the entry of that number, or if it is the next one.
    private func isThere(_ seq: Int) async throws -> Bool {
      guard let newest = try await one.summary()?.seq, seq <= newest + 1 else { return false }
      if seq == newest + 1 { return true }
      return try await one.page(from: seq, limit: 1).first?.seq == seq
    }

    /// Returns the state, and the number of an entry that it certainly includes.
    ///
    /// Entries that are stored between the two reads are sent again after it; their revisions show that.
    private func current() async throws -> (state: Value, seq: Int) {
      let seq = try await one.summary()?.seq ?? 0
      let seen = try await one.stateAsOf()
      return (
        [
          "seq": .integer(seq), "revision": .integer(seen.asOf), "state": texts.hiding(seen.value),
        ], seq
      )
    }
  }
#endif
