import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

/// The content of an entry as lines and as JSON.
struct EntryText {
  let id: String
  /// The flow that wrote the entry.
  var flow: JournaledFlow?
  /// The secrets of that flow.
  var secrets: Secrets?
  /// True for each write of a commit, in place of the net changes.
  var tellsWrites = false
  /// The titles of the effects that wait.
  private var effects: [Int: String] = [:]

  init(case id: String) { self.id = id }

  /// The maximum number of characters for a value of a payload or a patch.
  private static let longest = 200

  // MARK: Lines

  mutating func lines(_ entry: JournalEntry, _ contents: JournalEntry.Contents) -> [String] {
    let now = contents.time.map { "  now \(DurationText.text(microseconds: $0))" } ?? ""
    var lines = ["\(entry.seq)  \(WallTime.text(entry.wall))\(now)"]
    switch contents.kind {
    case .erased: return [lines[0] + "  erased"]
    case .image where entry.seq == 1: lines.append("  the case is created")
    case .image:
      lines.append(
        "  the complete state at #\(entry.revision), after a reload, an undo or a redo")
    case .turn: break
    }
    lines += contents.refused.map(line)
    if contents.refusedDropped > 0 {
      lines.append(
        "  \(contents.refusedDropped) more rejected actions were dropped: an entry has no space for them"
      )
    }
    for commit in contents.commits { lines += self.lines(of: commit) }
    lines += beside(contents)
    if lines.count == 1 { lines.append("  time has passed") }
    return lines
  }

  private func shown(_ payload: Value, of action: String) -> Value {
    let payload = flow?.isDocument == true ? EventPart.shown(payload) : payload
    return secrets?.hiding(payload, of: action) ?? payload
  }

  private func changes(of commit: Commit) -> [Patch.Change] {
    (tellsWrites ? commit.writes : commit.changes).changes.map { secrets?.hiding($0) ?? $0 }
  }

  private func lines(of commit: Commit) -> [String] {
    let payload = shown(commit.payload, of: commit.action)
    let given = payload == [:] ? "" : " \(payload.text(limit: EntryText.longest))"
    let cause =
      commit.cause.map { " (by #\($0))" } ?? commit.dispatchedBy.map { ", by \($0)" } ?? ""
    return [
      "  #\(commit.revision) \(commit.action)\(given) \(commit.isPostponed ? "is postponed" : "passed")\(cause)"
    ]
      + changes(of: commit).map { "    \($0.told)" }
  }

  private func line(of refused: JournalEntry.Contents.Refused) -> String {
    let by = refused.by.map { ", by \($0)" } ?? ""
    let payload =
      refused.payload.map { payload in
        let shown = shown(payload, of: refused.action)
        return shown == [:] ? "" : " \(shown.text(limit: EntryText.longest))"
      } ?? " (with a payload too large to store)"
    return
      "  \(refused.action)\(payload) at \(DurationText.text(microseconds: refused.time))\(by): "
      + (refused.hasFailed ? "failed: \(refused.reason)" : refused.reason)
  }

  private mutating func beside(_ contents: JournalEntry.Contents) -> [String] {
    var lines: [String] = []
    for timer in contents.timersGone {
      lines.append(
        timer.due == nil
          ? "  \(timer.action) is no longer postponed"
          : "  timer \(timer.number) has fired or was stopped: \(timer.action)")
    }
    for timer in contents.timersSet {
      let given = shown(timer.payload, of: timer.action)
      let payload = given == [:] ? "" : " \(given.text(limit: EntryText.longest))"
      let due = timer.due.map {
        "timer \(timer.number) is set: \(timer.action)\(payload) is due at \(DurationText.text(microseconds: $0))"
      }
      lines.append("  \(due ?? "\(timer.action)\(payload) is postponed") (by #\(timer.cause))")
    }
    for passage in contents.passagesFreed {
      lines.append(
        "  \(EntryText.title(of: passage)) is free; \(passage.action) (#\(passage.revision)) held it"
      )
    }
    for passage in contents.passagesTaken {
      lines.append(
        "  \(EntryText.title(of: passage)) is held by \(passage.action) (#\(passage.revision))")
    }
    lines += linesOfEffects(contents)
    if !contents.queued.isEmpty {
      lines.append("  still queued: \(contents.queued.joined(separator: ", "))")
    }
    return lines
  }

  private mutating func linesOfEffects(_ contents: JournalEntry.Contents) -> [String] {
    var lines: [String] = []
    for effect in contents.effectsBegan {
      if effect.number > 0 { effects[effect.number] = effect.title }
      lines += effect.attempts.map { "  \(effect.title): \($0.text)" }
      let what = effect.number == 0 ? "is about to start" : EntryText.text(of: effect.waits)
      lines.append(
        "  \(effect.title) \(what)\(effect.isDurable ? ", durable" : "") (by #\(effect.cause))")
    }
    for (number, attempt) in contents.attemptsFailed {
      lines.append("  \(title(ofEffect: number)): \(attempt.text)")
    }
    for (number, waits) in contents.effectsWaiting.sorted(by: { $0.key < $1.key })
    where !waits.isEmpty && !contents.effectsEnded.contains(number) {
      lines.append("  \(title(ofEffect: number)) \(EntryText.text(of: waits))")
    }
    for failure in contents.effectsFailed {
      lines += failure.text.split(whereSeparator: \.isNewline).enumerated().map {
        $0 == 0 && failure.isFault ? "  error: \($1)" : "  \($1)"
      }
    }
    for number in contents.effectsEnded {
      lines.append("  \(title(ofEffect: number)) has ended")
      effects[number] = nil
    }
    return lines
  }

  private func title(ofEffect number: Int) -> String { effects[number] ?? "effect \(number)" }

  private static func text(of waits: [EffectStatus.Wait]) -> String {
    waits.isEmpty ? "waits" : waits.map(\.text).joined(separator: ", ")
  }

  private static func title(of passage: JournalEntry.Contents.Passage) -> String {
    "gatekeeper \(passage.gatekeeper)" + (passage.option.map { ", \($0)," } ?? "")
  }

  // MARK: JSON

  func json(_ entry: JournalEntry, _ contents: JournalEntry.Contents) -> Value {
    var fields: [String: Value] = [
      "case": .string(id), "entry": .integer(entry.seq), "kind": .string(contents.kind.rawValue),
      "written": .string(WallTime.exact(entry.wall)), "revision": .integer(entry.revision),
    ]
    if let flow {
      fields["flow"] = .string(flow.name)
      fields["version"] = .integer(flow.version)
    }
    if let time = contents.time { fields["now"] = EntryText.number(time) }
    func set(_ name: String, _ values: [Value]) {
      if !values.isEmpty { fields[name] = .list(values) }
    }
    set("refused", contents.refused.map(json))
    if contents.refusedDropped > 0 { fields["refused_dropped"] = .integer(contents.refusedDropped) }
    set("transitions", contents.commits.map(json))
    set("timers_set", contents.timersSet.map(json))
    set("timers_gone", contents.timersGone.map(json))
    set("passages_taken", contents.passagesTaken.map(EntryText.json))
    set("passages_freed", contents.passagesFreed.map(EntryText.json))
    set("effects_began", contents.effectsBegan.map { $0.value(epoch: nil) })
    set("effects_waiting", contents.effectsWaitingValues(epoch: nil))
    set("attempts_failed", contents.attemptsFailedValues(epoch: nil))
    set("effects_failed", contents.effectsFailed.map { $0.value(epoch: nil) })
    set("effects_ended", contents.effectsEnded.map { .integer($0) })
    set("queued", contents.queued.map { .string($0) })
    return .record(fields)
  }

  private static func number(_ microseconds: Int) -> Value {
    .number(Double(microseconds) / 1_000_000)
  }

  private func json(_ commit: Commit) -> Value {
    var fields: [String: Value] = [
      "revision": .integer(commit.revision), "action": .string(commit.action),
      "payload": shown(commit.payload, of: commit.action),
      "now": EntryText.number(commit.microseconds),
      "outcome": commit.isPostponed ? "postponed" : "passed",
      "patch": .list(changes(of: commit).map(\.json)),
    ]
    if let cause = commit.cause { fields["cause"] = .integer(cause) }
    if let by = commit.dispatchedBy { fields["by"] = .string(by) }
    return .record(fields)
  }

  private func json(_ refused: JournalEntry.Contents.Refused) -> Value {
    var fields: [String: Value] = [
      "action": .string(refused.action), "now": EntryText.number(refused.time),
      "outcome": refused.hasFailed ? "failed" : "refused", "reason": .string(refused.reason),
    ]
    if let payload = refused.payload { fields["payload"] = shown(payload, of: refused.action) }
    if let by = refused.by { fields["by"] = .string(by) }
    return .record(fields)
  }

  private func json(_ timer: JournalEntry.Contents.Timer) -> Value {
    var fields: [String: Value] = [
      "number": .integer(timer.number), "action": .string(timer.action),
      "payload": shown(timer.payload, of: timer.action), "cause": .integer(timer.cause),
    ]
    if let due = timer.due { fields["due"] = EntryText.number(due) }
    return .record(fields)
  }

  private static func json(_ passage: JournalEntry.Contents.Passage) -> Value {
    var fields: [String: Value] = [
      "gatekeeper": .string(passage.gatekeeper), "number": .integer(passage.number),
      "action": .string(passage.action), "revision": .integer(passage.revision),
    ]
    if let option = passage.option { fields["option"] = .string(option) }
    return .record(fields)
  }
}

extension Patch.Change {
  fileprivate var told: String {
    switch operation {
    case .set: "\(path): \(old.text(limit: 200)) -> \(new.text(limit: 200))"
    case .insert, .remove: "\(self)"
    }
  }

  fileprivate var json: Value {
    let name =
      switch operation {
      case .set: "set"
      case .insert: "insert"
      case .remove: "remove"
      }
    var fields: [String: Value] = ["op": .string(name), "path": .string(path.description)]
    if operation != .insert { fields["old"] = old }
    if operation != .remove { fields["new"] = new }
    return .record(fields)
  }
}
