import LuaRuntime

/// The inputs of a flow and their outcomes: JSON lines that can be written, read back and replayed.
///
/// The first line is the header: format version, the flow's name and hash, the seed. Each further line is an input:
/// dispatches with their outcomes, advances of the clock, calls of capabilities and their answers, scopes that the host
/// opened and closed, moves along the history. A replay takes the answers from the transcript and calls no capability.
public struct Transcript: Sendable {
  /// The version of the format that is written.
  public static let format = 2

  /// A line of a transcript.
  public enum Entry: Sendable, Hashable {
    /// An action was dispatched; the outcome is its description, the revision the one that followed.
    case dispatch(action: String, payload: Value, outcome: String, revision: Int)
    /// The clock was moved by this many microseconds.
    case advance(microseconds: Int)
    /// The queue was run until it was empty.
    case settle
    /// The flow called a capability, such as `root.fetch`; the calls of a run are numbered from 1.
    ///
    /// The answer is nil if it came later, or never.
    case call(number: Int, capability: String, arguments: [Value], answer: Answer?)
    /// A capability answered an earlier call.
    case answer(call: Int, Answer)
    /// The host opened a scope of its own; its scope instances are numbered from 1.
    case open(scope: String, instance: Int)
    /// The next action was dispatched through this scope instance.
    case through(instance: Int)
    /// The sender of the next action.
    case by(String)
    /// The host closed a scope that it had opened.
    case close(instance: Int)
    /// The history was moved to this revision.
    case go(to: Int)
    /// The flow was reloaded, and the state kept; this is the hash of the new version.
    case reload(hash: String)
    /// At a prompt: the source of the stub that answers for a capability from now on.
    case stub(capability: String, source: String)
    /// At a prompt: a part of the initial situation, before the first action.
    case given(Given)
  }

  /// The answer of a capability.
  public enum Answer: Sendable, Hashable {
    /// The returned value.
    case value(Value)
    /// The message of the error that was raised.
    case error(String)
    /// The failure of a task, as its worker described it.
    case failure(CallFailure)
  }

  /// A line that is no part of a transcript.
  public struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason why a line is malformed.
    public enum Kind: Sendable, Hashable {
      /// The first line is no header of a transcript.
      case header
      /// The transcript has that format, which this version does not read.
      case format(Int)
      /// The line is no JSON.
      case json
      /// The line is no entry of a transcript.
      case entry
    }

    /// The line, counted from 1.
    public let line: Int
    /// The position of the error in the line, in bytes, counted from 1.
    public let column: Int
    /// The reason why the line is malformed.
    public let kind: Kind
    /// The reason as a sentence.
    public let reason: String
    /// `line N, column M: reason`.
    public var description: String { "line \(line), column \(column): \(reason)" }
  }

  /// The first difference between a replay and its transcript.
  public struct Difference: Sendable, CustomStringConvertible {
    /// The kind of a difference.
    public enum Kind: Sendable, Hashable {
      /// The outcome of an action.
      case outcome
      /// A call of a capability.
      case call
      /// An input that can only be repeated where it was recorded.
      case input
    }

    /// The kind of the difference.
    public let kind: Kind
    /// The line of the transcript, counted from 1.
    public let line: Int
    /// The name of the action that was dispatched, or of the capability that was called.
    public let action: String
    /// The recorded result; an empty text if there is none.
    public let then: String
    /// The result of the replay; empty if there is none.
    public let now: String

    package init(_ kind: Kind = .outcome, line: Int, action: String, then: String, now: String) {
      (self.kind, self.line, self.action, self.then, self.now) = (kind, line, action, then, now)
    }

    /// A sentence that describes the difference.
    public var description: String {
      switch kind {
      case .outcome: "line \(line): the outcome of \(action) was \"\(then)\", and is now \"\(now)\""
      case .call where then.isEmpty:
        "line \(line): the flow now calls \(now), and the transcript has no such call"
      case .call where now.isEmpty:
        "line \(line): the transcript has a call of \(then), and now nothing waits for its answer"
      case .call:
        "line \(line): the transcript has a call of \(then), and the flow now calls \(now)"
      case .input: "line \(line): \(then)"
      }
    }
  }

  /// The flow's file, as named in messages.
  public let flow: String
  /// A hash of the flow's source.
  public let hash: String
  /// The seed of the run.
  public let seed: UInt64
  /// The inputs, in order.
  public private(set) var entries: [Entry] = []
  /// True if inputs are missing at the end, because the host could store no more of them (`Limits.retained`).
  public private(set) var isCutOff = false
  /// True if the case had begun before: it was restored, or was given a state.
  ///
  /// Its inputs do not lead to the present state of the case then, and `reload(.replay)` refuses it.
  public private(set) var beginsMidway = false
  /// The number of the latest effect before the transcript began; a case that begins anew continues the numbering.
  private(set) var effectsBefore = 0
  /// The approximate size of the transcript, in bytes.
  package private(set) var size = 0

  package init(flow: String, hash: String, seed: UInt64, entries: [Entry] = []) {
    self.flow = flow
    self.hash = hash
    self.seed = seed
    for entry in entries { note(entry) }
  }

  /// Appends an entry.
  package mutating func note(_ entry: Entry) {
    size += entry.size
    entries.append(entry)
  }

  /// Appends an entry if it fits, and nothing more once one did not fit.
  ///
  /// - Parameter most: the greatest size of all entries, in bytes.
  /// - Returns: false if the transcript ends here.
  package mutating func note(_ entry: Entry, within most: Int) -> Bool {
    if isCutOff { return true }
    if size + entry.size > most {
      isCutOff = true
      return false
    }
    note(entry)
    return true
  }

  /// Records that the case continues from a state to which other inputs have led it.
  package mutating func beginMidway() { beginsMidway = true }

  mutating func setEffectsBefore(_ number: Int) { effectsBefore = number }

  /// Continues an earlier transcript.
  package mutating func goOn(from earlier: Transcript?) {
    guard let earlier else { return }
    (beginsMidway, effectsBefore) = (earlier.beginsMidway, earlier.effectsBefore)
    (entries, size, isCutOff) = (earlier.entries, earlier.size, earlier.isCutOff)
  }

  /// Appends an advance of a real clock; successive ones are merged.
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
  /// - Throws: `Malformed` with the line that cannot be read.
  public init(text: String) throws(Malformed) {
    var lines = JSONLines(text)
    let header = (try? lines.next()) ?? OutsideFields(.nil)
    guard let format = header["moonlatch_transcript"]?.integerValue else {
      throw Malformed(
        line: 1, column: 1, kind: .header,
        reason: "this is not a transcript: its header is missing")
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
    case .failure(let failure): 50 + failure.message.utf8.count
    }
  }
}

extension Transcript.Entry {
  /// The approximate size of the entry, in bytes.
  fileprivate var size: Int {
    switch self {
    case .dispatch(_, let payload, let outcome, _): 150 + payload.size + outcome.utf8.count
    case .call(_, _, let arguments, let answer):
      150 + arguments.reduce(0) { $0 + 16 + $1.size } + (answer?.size ?? 0)
    case .answer(_, let answer): 100 + answer.size
    case .stub(_, let text), .by(let text): 100 + text.utf8.count
    case .given(let given): 100 + given.size
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
    case .open(let scope, let instance): ["open": .string(scope), "instance": .integer(instance)]
    case .through(let instance): ["through": .integer(instance)]
    case .by(let who): ["by": .string(who)]
    case .close(let instance): ["close": .integer(instance)]
    case .go(let revision): ["go_to": .integer(revision)]
    case .reload(let hash): ["reload": .string(hash)]
    case .stub(let capability, let source):
      ["stub": .string(capability), "source": .string(source)]
    case .given(let given): given.value
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
      else { throw fields.malformed("a call needs a capability and a list of arguments") }
      self = .call(
        number: try fields.required("call"), capability: capability, arguments: arguments,
        answer: try Transcript.Answer(fields))
    } else if fields["answered"] != nil {
      guard let answer = try Transcript.Answer(fields) else {
        throw fields.malformed("an answer needs a value or an error")
      }
      self = .answer(call: try fields.required("answered"), answer)
    } else if let scope = try fields.text("open") {
      self = .open(scope: scope, instance: try fields.required("instance"))
    } else if fields["through"] != nil {
      self = .through(instance: try fields.required("through"))
    } else if let who = try fields.text("by") {
      self = .by(who)
    } else if fields["close"] != nil {
      self = .close(instance: try fields.required("close"))
    } else if fields["go_to"] != nil {
      self = .go(to: try fields.required("go_to"))
    } else if let hash = try fields.text("reload") {
      self = .reload(hash: hash)
    } else if let capability = try fields.text("stub") {
      self = .stub(capability: capability, source: try fields.text("source") ?? "nil")
    } else if let given = try Transcript.Given(fields) {
      self = .given(given)
    } else {
      throw fields.malformed(
        "expected one of dispatch, advance_us, settle, call, answered, open, through, by, "
          + "close, go_to, reload, stub, given")
    }
  }
}

extension Transcript.Answer {
  fileprivate var fields: [String: Value] {
    switch self {
    case .value(let value): ["value": value]
    case .error(let message): ["error": .string(message)]
    case .failure(let failure):
      (failure.record.recordValue ?? [:]).merging(["error": .string(failure.message)]) { $1 }
    }
  }

  /// Reads an answer; nil if the fields have neither a value nor an error.
  init?(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    if let message = try fields.text("error") {
      if let failure = CallFailure(message: message, record: fields.value) {
        self = .failure(failure)
      } else {
        self = .error(message)
      }
    } else if let value = fields.value["value"] {
      self = .value(value)
    } else {
      return nil
    }
  }
}
