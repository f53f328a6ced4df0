import FlowKernel
import FlowLanguage
import LuaRuntime

extension JournalEntry {
  /// The contents of an entry as values, for tools that show a journal or search it.
  ///
  /// ```swift
  /// for entry in try reader.entries(of: "o-17", from: 1, limit: 100) {
  ///   for commit in try entry.contents().commits { print(entry.seq, commit.action, commit.changes) }
  /// }
  /// ```
  public struct Contents: Sendable {
    /// The kinds of entries.
    public enum Kind: String, Sendable, Hashable {
      /// A turn: the changes that were made in it.
      case turn
      /// An image of the whole case: at its birth, a reload, or time travel.
      ///
      /// Its pending timers, held passages and running effects are in the properties in which a turn has
      /// those that it added.
      case image
      /// An erased entry, whose contents are lost.
      case erased
    }

    /// A timer of a case.
    public struct Timer: Sendable, Hashable {
      /// The number of the timer in the case, which is never used again.
      public let number: Int
      /// The action that the timer dispatches.
      public let action: String
      /// The action's payload.
      public let payload: Value
      /// The time at which it is due, in microseconds since the case was born; nil for an action that a state
      /// postpones.
      public let due: Int?
      /// The revision of the commit that set it.
      public let cause: Int
    }

    /// A passage of a gatekeeper.
    public struct Passage: Sendable, Hashable {
      /// The name of the gatekeeper.
      public let gatekeeper: String
      /// The option under which it is held; nil for a gatekeeper without options.
      public let option: String?
      /// The number of the passage in the case, which is never used again.
      public let number: Int
      /// The action with which it was taken.
      public let action: String
      /// The revision of the commit with which it was taken.
      public let revision: Int
    }

    /// A rejected dispatch, if the host stores those (`HostOptions.keepsRefusals`).
    public struct Refused: Sendable, Hashable {
      /// The action, as it was dispatched.
      public let action: String
      /// The payload; nil if it has more than 16 KiB, which is not stored.
      public let payload: Value?
      /// The user who asked for the action; nil if none was given.
      public let by: String?
      /// The time of the dispatch, in microseconds since the case was born.
      public let time: Int
      /// True if the dispatch failed; false if a rule refused it.
      public let hasFailed: Bool
      /// The reason: the rule and its reason, or the error; like all texts here cut after 1,000 characters.
      public let reason: String
    }

    /// The kind of the entry.
    public let kind: Kind
    /// The commits, in order; empty in an image.
    ///
    /// They do not know when their host began.
    public internal(set) var commits: [Commit] = []
    /// The rejected dispatches of the turn, in order, if the host stores them.
    public internal(set) var refused: [Refused] = []
    /// The number of further rejected dispatches, which are not stored: an entry has space for 1,000, and 256 KiB.
    public internal(set) var refusedDropped = 0
    /// The case's time after the entry, in microseconds since its birth; nil if the entry does not have it.
    public internal(set) var time: Int?
    /// Timers that were set.
    public internal(set) var timersSet: [Timer] = []
    /// Timers that have fired or were stopped.
    public internal(set) var timersGone: [Timer] = []
    /// Passages that were taken.
    public internal(set) var passagesTaken: [Passage] = []
    /// Passages that were freed.
    public internal(set) var passagesFreed: [Passage] = []
    /// Effects that began to wait.
    public internal(set) var effectsBegan: [EffectStatus] = []
    /// The new waits of effects that waited for something else before, by the effect's number.
    ///
    /// A later wait of a plain effect makes no entry by itself: it is in the next one.
    public internal(set) var effectsWaiting: [Int: [EffectStatus.Wait]] = [:]
    /// Failed attempts of effects that are tried again, each with its effect's number.
    public internal(set) var attemptsFailed: [(effect: Int, attempt: EffectAttempt)] = []
    /// Effects that did not finish, in order.
    public internal(set) var effectsFailed: [EffectFailure] = []
    /// The numbers of effects that had waited and have ended.
    public internal(set) var effectsEnded: [Int] = []
    /// The queued actions, in order.
    public internal(set) var queued: [String] = []
  }

  /// Decodes the contents of the entry.
  ///
  /// - Throws: `JournalError` if this version of Moonlatch cannot read the entry.
  public func contents() throws(JournalError) -> Contents {
    if body.isEmpty { return Contents(kind: .erased) }
    do throws(ValueReader.Malformed) {
      switch CaseImage.kind(of: body) {
      case .image: return Contents(try CaseImage(image: body))
      case .turn: return Contents(try TurnFacts(entry: body))
      case nil: throw ValueReader.Malformed()
      }
    } catch {
      throw JournalError(
        .unreadable, "this version of Moonlatch cannot read entry \(seq)")
    }
  }
}

extension JournalEntry.Contents {
  package init(_ image: CaseImage) {
    self.init(kind: .image)
    time = image.caseState.clock.now
    timersSet = image.caseState.timers.pending.compactMap(Timer.init)
    passagesTaken = image.caseState.passages.all.map(Passage.init)
    effectsBegan = image.caseState.effects.values.sorted { $0.number < $1.number }.map(
      EffectStatus.init)
    effectsBegan += image.caseState.upcomingEffects.map(EffectStatus.init)
    effectsFailed = image.failures
    queued = image.caseState.queue.waiting.compactMap(\.action)
  }

  package init(_ turn: TurnFacts) {
    self.init(kind: .turn)
    commits = turn.commits
    time = turn.clock?.now ?? turn.commits.last?.microseconds
    for change in turn.changes {
      switch change {
      case .set(let timer): timersSet += [Timer(timer)].compactMap(\.self)
      case .gone(let timer): timersGone += [Timer(timer)].compactMap(\.self)
      case .taken(let passage): passagesTaken.append(Passage(passage))
      case .freed(let passage): passagesFreed.append(Passage(passage))
      case .random, .effectRandom, .scopeInstances, .historyValues, .began, .ended,
        .refusedTimers:
        break
      }
    }
    refused = turn.refused.map {
      Refused(
        action: $0.action, payload: $0.payload, by: $0.by, time: $0.time, hasFailed: $0.hasFailed,
        reason: $0.sentence)
    }
    refusedDropped = turn.refusedDropped
    effectsBegan = (turn.began + turn.upNext).map(EffectStatus.init)
    effectsWaiting = Dictionary(
      turn.waits.map { ($0.effect, $0.waits) }, uniquingKeysWith: { $1 })
    attemptsFailed = turn.attempts
    effectsFailed = turn.failures
    effectsEnded = turn.ended
    queued = turn.queue.compactMap(\.action)
  }
}

extension JournalEntry.Contents.Timer {
  /// Makes a timer; nil for one that wakes an effect.
  package init?(_ timer: PendingTimer) {
    guard let action = timer.action else { return nil }
    self.init(
      number: timer.number, action: action.name, payload: action.payload,
      due: timer.due == EngineTime.never ? nil : timer.due,
      cause: action.cause.revision)
  }
}

extension JournalEntry.Contents.Passage {
  package init(_ held: HeldPassages.Held) {
    self.init(
      gatekeeper: held.option.gatekeeper,
      option: held.option.option == GatekeeperPolicy.passage ? nil : held.option.option,
      number: held.number, action: held.name, revision: held.revision)
  }
}

extension ActionQueue.Item {
  /// The name of the queued action; nil if the item is none.
  fileprivate var action: String? {
    if case .action(let queued) = event { queued.name } else { nil }
  }
}
