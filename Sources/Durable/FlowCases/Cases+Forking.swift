import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

extension Cases {
  /// Creates a case that starts as another case was after one of its entries, and continues on its own.
  ///
  /// ```swift
  /// let other = try await orders.fork("o-17", at: 40, as: "o-17 without the refund")
  /// ```
  ///
  /// State, machines, passages, timers, queued actions and random generators are as they were then, and so is
  /// the clock, which continues from now. No effect is taken over: each one that was running ends as after a
  /// restart, also durable ones. The original case is not changed.
  ///
  /// - Parameters:
  ///   - id: the case from which it is forked.
  ///   - seq: the number of an entry of that case.
  ///   - new: the new case's id, which no case may have had before.
  /// - Throws: `JournalError`: `unknownCase` if there is no such case or entry; `knownCase` if the new id was
  ///   used before; `unreadable` if entries before it were erased, or dropped by compaction.
  @discardableResult
  public func fork(_ id: String, at seq: Int, as new: String) async throws -> Case {
    if isClosed { throw closed }
    if try await summary(of: new) != nil { throw CaseBirth.known(new) }
    let (image, flow, texts) = try await calls.call {
      try await Cases.read(id, at: seq, in: $0)
    }
    let entry = try birth(image, flow, texts, of: new)
    let receipt = WriteReceipt()
    calls.append([entry], to: new, fence: 1) { receipt.settle($0) }
    try await receipt.waitWhenFree()
    if node?.holds(new) != false { try await use(new) { _ in } }
    return self[new]
  }

  /// Returns the case as it was after an entry, with the number and the texts of its flow at that time.
  private static func read(
    _ id: String, at seq: Int, in journal: any JournalStorage
  ) async throws -> (CaseImage, Int, JournaledFlow) {
    guard let summary = try await journal.summary(of: id) else { throw AppendPosition.unknown(id) }
    guard (1...summary.seq).contains(seq) else {
      throw JournalError(
        .unknownCase, "case \(id) has no entry \(seq): its entries are 1 to \(summary.seq)")
    }
    var image: CaseImage?
    var (next, flow) = (1, summary.flow)
    while next <= seq {
      let entries = try await journal.entries(of: id, from: next, limit: min(100, seq - next + 1))
      guard let last = entries.last else { break }
      for entry in entries where entry.seq <= seq {
        flow = entry.flow
        do throws(ValueReader.Malformed) {
          if CaseImage.kind(of: entry.body) == .image {
            image = try CaseImage(image: entry.body)
          } else {
            try image?.take(entry: entry.body)
          }
        } catch {
          image = nil
        }
      }
      next = last.seq + 1
    }
    guard let image else {
      throw JournalError(
        .unreadable,
        "case \(id) cannot be forked at entry \(seq): earlier entries were erased, or dropped by compaction"
      )
    }
    guard let texts = try await journal.flow(flow) else {
      throw JournalError(.damaged, "case \(id): the texts of its flow are not kept")
    }
    return (image, flow, texts)
  }

  /// Returns the first entry of the forked case.
  private func birth(
    _ image: CaseImage, _ flow: Int, _ texts: JournaledFlow, of id: String
  ) throws -> JournalEntry {
    let wall = options.wall()
    let engine = try Engine(
      LoadedFlow(texts), limits: options.limits, log: ScriptLog { _ in }, seed: options.seed)
    try engine.take(image)
    var fork = image.forked(at: wall)
    (fork.tree, fork.patches) = (try engine.vm.stateBytes(after: []), [])
    var writer = ValueWriter()
    fork.write(to: &writer)
    return JournalEntry(
      seq: 1, flow: flow, wall: wall, body: writer.bytes, revision: fork.caseState.revision,
      due: fork.caseState.timers.nextDue.map { fork.caseState.clock.wall(at: $0) },
      machines: engine.standing,
      birth: JournalEntry.Birth(time: fork.caseState.clock.epoch, seed: options.seed))
  }

  package var closed: JournalError {
    JournalError(.closed, "the cases of \(flow.name) were closed")
  }
}

extension CaseImage {
  /// Returns the image for a new case at the present time.
  ///
  /// The effects are in it without any recorded answers, so that they are cut off when it is activated.
  fileprivate func forked(at wall: Int) -> CaseImage {
    var fork = self
    fork.caseState.clock.give(birth: wall - caseState.clock.now)
    fork.failures = []
    (fork.caseState.effects, fork.caseState.upcomingEffects) = ([:], [])
    let all = caseState.effects.values.sorted { $0.number < $1.number } + caseState.upcomingEffects
    for effect in all {
      let number = effect.number == 0 ? fork.caseState.nextEffectNumber() : effect.number
      fork.caseState.effects[number] = effect.forked(as: number)
    }
    return fork
  }
}
