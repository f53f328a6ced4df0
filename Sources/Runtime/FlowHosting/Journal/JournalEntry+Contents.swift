import FlowKernel
import FlowLanguage
import LuaRuntime

extension JournalEntry {
  /// What an entry says, as values: for whoever shows a journal, or looks something up in it.
  ///
  /// ```swift
  /// for entry in try reader.entries(of: "o-17", from: 1, limit: 100) {
  ///   for transition in try entry.contents().transitions { print(entry.seq, transition.action, transition.patch) }
  /// }
  /// ```
  public struct Contents: Sendable {
    /// What an entry is.
    public enum Kind: String, Sendable, Hashable {
      /// A turn: what has changed in it.
      case turn
      /// All that the case is: its birth, a reload, going along the history. What is pending, held and under way
      /// stands where a turn tells what was set, taken and begun.
      case image
      /// It was erased: nobody can tell any more.
      case erased
    }

    /// A timer.
    public struct Timer: Sendable, Hashable {
      /// Its number in the case, which is never given again.
      public let number: Int
      /// The action that is due.
      public let action: String
      /// The action's payload.
      public let payload: Value
      /// When it is due, in microseconds since the case was born; nil for an action that a state postpones.
      public let due: Int?
      /// The revision that set it.
      public let cause: Int
    }

    /// A passage of a gatekeeper.
    public struct Passage: Sendable, Hashable {
      /// The gatekeeper.
      public let gatekeeper: String
      /// The option under which it is held; nil for a yes/no keeper.
      public let option: String?
      /// Its number in the case, which is never given again.
      public let number: Int
      /// The action that took it.
      public let action: String
      /// The revision with which it was taken.
      public let revision: Int
    }

    /// A dispatch that did not pass, where the host keeps those (`HostOptions.keepsRefusals`).
    public struct Refused: Sendable, Hashable {
      /// The action, as it was dispatched.
      public let action: String
      /// The payload; nil for one of more than 16 KiB, which is not stored.
      public let payload: Value?
      /// Who offered it, if that was said.
      public let by: String?
      /// When, in microseconds since the case was born.
      public let time: Int
      /// Whether something was wrong with it or the flow; else a rule refused it.
      public let hasFailed: Bool
      /// The reason: who refused it and why, or what was wrong; like all texts here cut after 1,000
      /// characters.
      public let reason: String
    }

    /// What the entry is.
    public let kind: Kind
    /// The transitions, in order; none in an image.
    ///
    /// They do not know when their host began.
    public internal(set) var commits: [Commit] = []
    /// The dispatches that did not pass in the turn, in order, if the host stores them.
    public internal(set) var refused: [Refused] = []
    /// How many more did not pass, which are not kept: an entry has space for 1,000 of them, and 256 KiB.
    public internal(set) var refusedDropped = 0
    /// The case's time after it, in microseconds since its birth; nil where it says nothing of that.
    public internal(set) var time: Int?
    /// Timers that were set.
    public internal(set) var timersSet: [Timer] = []
    /// Timers that have fired or were stopped.
    public internal(set) var timersGone: [Timer] = []
    /// Passages that were taken.
    public internal(set) var passagesTaken: [Passage] = []
    /// Passages that were freed.
    public internal(set) var passagesFreed: [Passage] = []
    /// Effects that wait since then.
    public internal(set) var effectsBegan: [EffectStatus] = []
    /// The new waits of effects that waited for something else before, by number.
    ///
    /// A later wait of a plain effect makes no entry by itself: it stands in the next one.
    public internal(set) var effectsWaiting: [Int: [EffectStatus.Wait]] = [:]
    /// Attempts of effects that have failed and are tried again, each with its effect's number.
    public internal(set) var attemptsFailed: [(effect: Int, attempt: EffectAttempt)] = []
    /// Effects that did not finish, in order.
    public internal(set) var effectsFailed: [EffectFailure] = []
    /// The numbers of effects that had waited and have ended.
    public internal(set) var effectsEnded: [Int] = []
    /// Actions whose turn is still to come, in order.
    public internal(set) var queued: [String] = []
  }

  /// What the entry says.
  ///
  /// - Throws: `JournalError`, where it is none that this version of Moonlatch can read.
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
        .unreadable, "entry \(seq) is none that this version of Moonlatch can read")
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
  /// Nil for what wakes an effect.
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
  /// The name of the action whose turn is to come, if it is one.
  fileprivate var action: String? {
    if case .action(let queued) = event { queued.name } else { nil }
  }
}
