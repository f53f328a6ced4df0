#if Server
  import FlowCases
  import LuaRuntime

  /// The entries of a case as events: those that are there, and then each as it is kept.
  struct EntryStream: Sendable {
    let one: Case
    let texts: CaseTexts

    /// Sends them until nothing more comes.
    ///
    /// If the entries that the listener asks for are not all there, it gets the state in their place first: they were
    /// compacted, or the journal is another than the one that it has listened to.
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
        // The text itself does not wait until the event has left.
        let event = EventSink.text(
          JSONText.text(try texts.json(entry)), id: String(entry.seq), event: "entry")
        try await sink.send(event)
      }
    }

    /// The number of the first entry to send; nil if entries that were asked for are not there.
    ///
    /// Nobody misses what they have not asked for by number.
    private func first(after lastID: String?, from: Int?) async throws -> Int? {
      guard let lastID else {
        guard let from else { return 1 }
        return try await isThere(from) ? from : nil
      }
      guard let last = OutsideNumber.integer(lastID, in: OutsideNumber.counts) else { return nil }
      return try await isThere(last + 1) ? last + 1 : nil
    }

    /// True if the entry of that number is there, or is the next one to come.
    private func isThere(_ seq: Int) async throws -> Bool {
      guard let newest = try await one.summary()?.seq, seq <= newest + 1 else { return false }
      if seq == newest + 1 { return true }
      return try await one.page(from: seq, limit: 1).first?.seq == seq
    }

    /// The state, and the number of an entry that it has for certain.
    ///
    /// Entries that are kept between the two readings are sent once more behind it: their revisions say so.
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
