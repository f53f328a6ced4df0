import LuaRuntime

/// What came to a flow from outside and what became of it: JSON lines that can be written, read
/// back and replayed.
///
/// The first line is the header: format version, the flow's name and hash, the seed. Then one line
/// for each dispatch, with its outcome, and for each time that the clock was moved.
public struct Transcript: Sendable {
  /// The version of the format that is written.
  public static let format = 1

  /// One line.
  public enum Entry: Sendable, Hashable {
    /// An action was offered; the outcome is its sentence, the revision the one that followed.
    case dispatch(action: String, payload: Value, outcome: String, revision: Int)
    /// The clock was moved by this many seconds.
    case advance(Double)
    /// The queue was run dry.
    case settle
  }

  /// A line that is no part of a transcript.
  public struct Malformed: Error, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int
    /// What is wrong with it.
    public let reason: String
    /// `line N: reason`.
    public var description: String { "line \(line): \(reason)" }
  }

  /// Where a replay first came out differently.
  public struct Difference: Sendable, CustomStringConvertible {
    /// The line of the transcript, counted from 1.
    public let line: Int
    /// The action that was offered.
    public let action: String
    /// What it came to then.
    public let then: String
    /// What it comes to now.
    public let now: String
    /// A sentence.
    public var description: String {
      "line \(line): \(action) came to \"\(then)\" then, and to \"\(now)\" now"
    }
  }

  /// The flow's file, as messages named it.
  public let flow: String
  /// A hash of the flow's text.
  public let hash: String
  /// The seed of the run.
  public let seed: UInt64
  /// What came from outside, in order.
  public internal(set) var entries: [Entry] = []

  package init(flow: String, hash: String, seed: UInt64, entries: [Entry] = []) {
    self.entries = entries
    self.flow = flow
    self.hash = hash
    self.seed = seed
  }

  /// Notes that time has passed by itself, with what passed just before.
  mutating func noteAdvance(_ seconds: Double) {
    if case .advance(let before)? = entries.last {
      entries[entries.count - 1] = .advance(before + seconds)
    } else {
      entries.append(.advance(seconds))
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
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, let header = try? JSONText.value(of: String(first)),
      let format = header["moonlatch_transcript"]?.integerValue
    else { throw Malformed(line: 1, reason: "this is no transcript: its header is missing") }
    guard format == Transcript.format else {
      throw Malformed(
        line: 1,
        reason: "the transcript has format \(format); this version reads \(Transcript.format)")
    }
    self.init(
      flow: header["flow"]?.stringValue ?? "", hash: header["hash"]?.stringValue ?? "",
      seed: header["seed"]?.stringValue.flatMap(UInt64.init) ?? 0)
    for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      let value: Value
      do {
        value = try JSONText.value(of: String(line))
      } catch {
        throw Malformed(line: index + 1, reason: "this is no JSON: \(error)")
      }
      guard let entry = Entry(value) else {
        throw Malformed(line: index + 1, reason: "this is neither dispatch, advance nor settle")
      }
      entries.append(entry)
    }
  }
}

extension Transcript.Entry {
  fileprivate var value: Value {
    switch self {
    case .dispatch(let action, let payload, let outcome, let revision):
      [
        "dispatch": .string(action), "payload": payload, "outcome": .string(outcome),
        "revision": .integer(revision),
      ]
    case .advance(let seconds): ["advance": .number(seconds)]
    case .settle: ["settle": true]
    }
  }

  fileprivate init?(_ value: Value) {
    if let action = value["dispatch"]?.stringValue {
      self = .dispatch(
        action: action, payload: value["payload"] ?? [:],
        outcome: value["outcome"]?.stringValue ?? "",
        revision: value["revision"]?.integerValue ?? 0)
    } else if let seconds = value["advance"]?.doubleValue {
      self = .advance(seconds)
    } else if value["settle"] != nil {
      self = .settle
    } else {
      return nil
    }
  }
}

extension Engine {
  /// Plays a transcript to its end from where this engine stands and gives the first difference.
  package func replay(_ transcript: Transcript) -> Transcript.Difference? {
    var first: Transcript.Difference?
    for (index, entry) in transcript.entries.enumerated() {
      switch entry {
      case .advance(let seconds): advance(seconds)
      case .settle: settle()
      case .dispatch(let action, let payload, let then, let revision):
        let now = dispatch(action, payload).transcribed
        if first == nil, now != then || self.revision != revision && revision > 0 {
          first = Transcript.Difference(line: index + 2, action: action, then: then, now: now)
        }
      }
    }
    return first
  }
}

extension Outcome {
  /// What a transcript keeps: the sentence, and for a passed action its changes.
  package var transcribed: String {
    if case .passed(let transition) = self {
      let changes = transition.patch.changes.map(\.description).joined(separator: "; ")
      return changes.isEmpty ? description : "\(description): \(changes)"
    }
    return summary
  }

  private var summary: String {
    if case .failed(let failure) = self { return failure.summary }
    return description
  }
}
