import LuaRuntime

/// What came to a flow from outside and what became of it: JSON lines that can be written, read
/// back and replayed.
///
/// The first line is the header: format version, the flow's name and hash, the seed. Then one line
/// for everything that came: dispatches with their outcomes, times by which the clock was moved,
/// what capabilities were asked and what they answered, scopes that the host opened and closed, moves
/// along the history. A replay takes the answers from the record and calls nobody.
public struct Transcript: Sendable {
  /// The version of the format that is written.
  public static let format = 2

  /// One line.
  public enum Entry: Sendable, Hashable {
    /// An action was offered; the outcome is its sentence, the revision the one that followed.
    case dispatch(action: String, payload: Value, outcome: String, revision: Int)
    /// The clock was moved by this many microseconds.
    case advance(microseconds: Int)
    /// The queue was run dry.
    case settle
    /// The flow called a capability, `root.fetch`: the calls of a run are counted from 1. The answer is
    /// nil where it came later, or never.
    case call(number: Int, capability: String, arguments: [Value], answer: Answer?)
    /// A capability answered a call that was made before.
    case answer(call: Int, Answer)
    /// The host opened a scope of its own: its openings are counted from 1.
    case open(scope: String, opening: Int)
    /// The next action was offered through this opening.
    case through(opening: Int)
    /// The next action was offered by somebody.
    case by(String)
    /// The host closed a scope that it had opened.
    case close(opening: Int)
    /// The history was gone along to this revision.
    case go(to: Int)
    /// The flow's text was loaded again, and the state kept; this is the hash of the new text.
    case reload(hash: String)
    /// At a prompt: the source of what answers for a capability from now on.
    case stub(capability: String, source: String)
  }

  /// What a capability answered.
  public enum Answer: Sendable, Hashable {
    /// What it gave.
    case value(Value)
    /// What was raised where it was called.
    case error(String)
  }

  /// A line that is no part of a transcript.
  public struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with a line.
    public enum Kind: Sendable, Hashable {
      /// The first line is no header of a transcript.
      case header
      /// The transcript has that format, which this version does not read.
      case format(Int)
      /// The line is no JSON.
      case json
      /// The line is nothing that a transcript holds.
      case entry
    }

    /// The line, counted from 1.
    public let line: Int
    /// The byte of the line at which it is, counted from 1.
    public let column: Int
    /// What is wrong with it.
    public let kind: Kind
    /// The same as a sentence.
    public let reason: String
    /// `line N, column M: reason`.
    public var description: String { "line \(line), column \(column): \(reason)" }
  }

  /// Where a replay first came out differently.
  public struct Difference: Sendable, CustomStringConvertible {
    /// What differs.
    public enum Kind: Sendable, Hashable {
      /// The outcome of an action.
      case outcome
      /// What the flow asks of capabilities.
      case call
      /// What can only be done where it was recorded.
      case input
    }

    /// What differs.
    public let kind: Kind
    /// The line of the transcript, counted from 1.
    public let line: Int
    /// The action that was offered, or the capability that was asked.
    public let action: String
    /// What it came to then; empty where the record has nothing.
    public let then: String
    /// What it comes to now; empty where there is nothing.
    public let now: String

    package init(_ kind: Kind = .outcome, line: Int, action: String, then: String, now: String) {
      (self.kind, self.line, self.action, self.then, self.now) = (kind, line, action, then, now)
    }

    /// A sentence.
    public var description: String {
      switch kind {
      case .outcome: "line \(line): \(action) came to \"\(then)\" then, and to \"\(now)\" now"
      case .call where then.isEmpty:
        "line \(line): the flow asks for \(now) now, and the record has no such call"
      case .call where now.isEmpty:
        "line \(line): the flow asked for \(then) then, and nothing waits for its answer now"
      case .call: "line \(line): the flow asked for \(then) then, and asks for \(now) now"
      case .input: "line \(line): \(then)"
      }
    }
  }

  /// The flow's file, as messages named it.
  public let flow: String
  /// A hash of the flow's text.
  public let hash: String
  /// The seed of the run.
  public let seed: UInt64
  /// What came from outside, in order.
  public private(set) var entries: [Entry] = []
  /// Whether more has come than is here: the transcript ended where the host could keep no more of it
  /// (`Limits.retained`).
  public private(set) var isCutOff = false
  /// True if the case had begun before: it was restored, or was given a state.
  ///
  /// Its inputs do not lead to the present state of the case then, and `reload(.replay)` refuses it.
  public private(set) var beginsMidway = false
  /// The number of the latest effect before it began: a case that begins anew goes on counting.
  private(set) var effectsBefore = 0
  /// The bytes that it takes, about.
  package private(set) var size = 0

  package init(flow: String, hash: String, seed: UInt64, entries: [Entry] = []) {
    self.flow = flow
    self.hash = hash
    self.seed = seed
    for entry in entries { note(entry) }
  }

  /// Notes what came.
  package mutating func note(_ entry: Entry) {
    size += entry.size
    entries.append(entry)
  }

  /// Notes what came as long as there is room for it, and nothing more once there was none.
  ///
  /// False: it ends here.
  ///
  /// - Parameter most: the bytes that all entries may take.
  package mutating func note(_ entry: Entry, within most: Int) -> Bool {
    if isCutOff { return true }
    if size + entry.size > most {
      isCutOff = true
      return false
    }
    note(entry)
    return true
  }

  /// The case goes on from where something else has led it.
  package mutating func beginMidway() { beginsMidway = true }

  mutating func setEffectsBefore(_ number: Int) { effectsBefore = number }

  /// Begins with what was noted before.
  package mutating func goOn(from earlier: Transcript?) {
    guard let earlier else { return }
    (beginsMidway, effectsBefore) = (earlier.beginsMidway, earlier.effectsBefore)
    (entries, size, isCutOff) = (earlier.entries, earlier.size, earlier.isCutOff)
  }

  /// Notes that time has passed by itself, with what passed just before.
  mutating func noteAdvance(microseconds: Int) {
    if case .advance(let before)? = entries.last {
      entries[entries.count - 1] = .advance(
        microseconds: EngineTime.later(before, by: microseconds))
    } else {
      entries.append(.advance(microseconds: microseconds))
    }
  }

  // MARK: Writing and reading

  /// The transcript as JSON lines.
  public var text: String {
    let header: Value = [
      "moonlatch_transcript": .integer(Transcript.format), "flow": .string(flow),
      "hash": .string(hash), "seed": .string(String(seed)),
    ]
    return ([header] + entries.map(\.value)).map { JSONText.text($0) + "\n" }.joined()
  }

  /// Reads a transcript.
  ///
  /// - Throws: `Malformed` with the line that is no part of one.
  public init(text: String) throws(Malformed) {
    var lines = JSONLines(text)
    let header = (try? lines.next()) ?? OutsideFields(.nil)
    guard let format = header["moonlatch_transcript"]?.integerValue else {
      throw Malformed(
        line: 1, column: 1, kind: .header,
        reason: "this is no transcript: its header is missing")
    }
    guard format == Transcript.format else {
      throw Malformed(
        line: lines.line, column: 1, kind: .format(format),
        reason: "the transcript has format \(format); this version reads \(Transcript.format)")
    }
    do throws(JSONLines.Malformed) {
      do throws(OutsideFields.Malformed) {
        self.init(
          flow: try header.text("flow") ?? "", hash: try header.text("hash") ?? "",
          seed: try header.seed("seed") ?? 0)
      } catch {
        throw lines.malformed(error)
      }
      while let fields = try lines.next() {
        do throws(OutsideFields.Malformed) {
          note(try Entry(fields))
        } catch {
          throw lines.malformed(error)
        }
      }
    } catch {
      throw Malformed(
        line: error.line, column: error.column, kind: error.isNoJSON ? .json : .entry,
        reason: error.reason)
    }
  }
}

extension Transcript.Answer {
  fileprivate var size: Int {
    switch self {
    case .value(let value): value.size
    case .error(let message): message.utf8.count
    }
  }
}

extension Transcript.Entry {
  /// The bytes that it takes, about.
  fileprivate var size: Int {
    switch self {
    case .dispatch(_, let payload, let outcome, _): 150 + payload.size + outcome.utf8.count
    case .call(_, _, let arguments, let answer):
      150 + arguments.reduce(0) { $0 + 16 + $1.size } + (answer?.size ?? 0)
    case .answer(_, let answer): 100 + answer.size
    case .stub(_, let text), .by(let text): 100 + text.utf8.count
    case .advance, .settle, .open, .through, .close, .go, .reload: 100
    }
  }

  fileprivate var value: Value {
    switch self {
    case .dispatch(let action, let payload, let outcome, let revision):
      [
        "dispatch": .string(action), "payload": payload, "outcome": .string(outcome),
        "revision": .integer(revision),
      ]
    case .advance(let microseconds): ["advance_us": .integer(microseconds)]
    case .settle: ["settle": true]
    case .call(let number, let capability, let arguments, let answer):
      .record(
        [
          "call": .integer(number), "capability": .string(capability),
          "arguments": .list(arguments),
        ].merging(answer?.fields ?? [:]) { first, _ in first })
    case .answer(let call, let answer):
      .record(["answered": .integer(call)].merging(answer.fields) { first, _ in first })
    case .open(let scope, let opening): ["open": .string(scope), "opening": .integer(opening)]
    case .through(let opening): ["through": .integer(opening)]
    case .by(let who): ["by": .string(who)]
    case .close(let opening): ["close": .integer(opening)]
    case .go(let revision): ["go_to": .integer(revision)]
    case .reload(let hash): ["reload": .string(hash)]
    case .stub(let capability, let source):
      ["stub": .string(capability), "source": .string(source)]
    }
  }

  init(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    if fields["dispatch"] != nil {
      self = .dispatch(
        action: try fields.text("dispatch") ?? "", payload: fields.value["payload"] ?? [:],
        outcome: try fields.text("outcome") ?? "", revision: try fields.required("revision"))
    } else if fields["advance_us"] != nil {
      self = .advance(microseconds: try fields.required("advance_us", in: 0...EngineTime.last))
    } else if fields["settle"] != nil {
      self = .settle
    } else if fields["call"] != nil {
      guard let capability = try fields.text("capability"),
        let arguments = fields["arguments"]?.listValue
      else { throw fields.malformed("a call has a capability and a list of arguments") }
      self = .call(
        number: try fields.required("call"), capability: capability, arguments: arguments,
        answer: try Transcript.Answer(fields))
    } else if fields["answered"] != nil {
      guard let answer = try Transcript.Answer(fields) else {
        throw fields.malformed("an answer has a value or an error")
      }
      self = .answer(call: try fields.required("answered"), answer)
    } else if let scope = try fields.text("open") {
      self = .open(scope: scope, opening: try fields.required("opening"))
    } else if fields["through"] != nil {
      self = .through(opening: try fields.required("through"))
    } else if let who = try fields.text("by") {
      self = .by(who)
    } else if fields["close"] != nil {
      self = .close(opening: try fields.required("close"))
    } else if fields["go_to"] != nil {
      self = .go(to: try fields.required("go_to"))
    } else if let hash = try fields.text("reload") {
      self = .reload(hash: hash)
    } else if let capability = try fields.text("stub") {
      self = .stub(capability: capability, source: try fields.text("source") ?? "nil")
    } else {
      throw fields.malformed(
        "this is none of dispatch, advance_us, settle, call, answered, open, through, by, "
          + "close, go_to, reload and stub")
    }
  }
}

extension Transcript.Answer {
  fileprivate var fields: [String: Value] {
    switch self {
    case .value(let value): ["value": value]
    case .error(let message): ["error": .string(message)]
    }
  }

  /// Nil where there is neither.
  init?(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    if let message = try fields.text("error") {
      self = .error(message)
    } else if let value = fields.value["value"] {
      self = .value(value)
    } else {
      return nil
    }
  }
}
