import FlowHosting
import FlowKernel
import LuaRuntime
import Scenarios

/// Checks that a value is the same when it was written and read in each format.
func checkFormats(of value: Value) throws {
  try checkJSON(of: value)
  try checkTranscript(holding: value)
  try checkSource(of: value)
}

// MARK: JSON

func checkJSON(of value: Value) throws {
  let text = JSONText.text(value)
  let again = try JSONText.value(of: text)
  try require(again.bytes == value.bytes, "JSON reads as \(again.source), not \(value.source)")
  try require(JSONText.text(again) == text, "other JSON when written again: \(text)")
}

// MARK: Transcripts

private func checkTranscript(holding value: Value) throws {
  let failure = CallFailure(message: "\(value)", isFinal: true, status: 402, after: 1.5)
  let answers: [Transcript.Answer?] = [
    nil, .value(value), .error("\(value)"), .failure(failure),
  ]
  var transcript = Transcript(flow: "\(value)", hash: "", seed: .max)
  transcript.note(.dispatch(action: "put", payload: value, outcome: "\(value)", revision: 1))
  for answer in answers {
    transcript.note(
      .call(number: 1, capability: "root.fetch", arguments: [value, value], answer: answer))
    if let answer { transcript.note(.answer(call: 1, answer)) }
  }
  let again = try Transcript(text: transcript.text)
  try require(again.entries.count == transcript.entries.count, "other entries: \(again.text)")
  for (entry, before) in zip(again.entries, transcript.entries) {
    let (values, valuesBefore) = (entry.values, before.values)
    try require(
      values.map(\.bytes) == valuesBefore.map(\.bytes), "a transcript has \(values), not \(value)")
  }
  try require(again.text == transcript.text, "another transcript when written again")
}

extension Transcript.Entry {
  fileprivate var values: [Value] {
    switch self {
    case .dispatch(_, let payload, let outcome, _): [payload, .string(outcome)]
    case .call(_, _, let arguments, let answer): arguments + (answer.map { [$0.value] } ?? [])
    case .answer(_, let answer): [answer.value]
    default: []
    }
  }
}

extension Transcript.Answer {
  fileprivate var value: Value {
    switch self {
    case .value(let value): value
    case .error(let message): .string(message)
    case .failure(let failure): .list([.string(failure.message), failure.record])
    }
  }
}

// MARK: Lua source

/// The maximum depth of a value in a flow, less the tables around it there, and of one expression in Lua's parser.
private let (deepestValue, deepestExpression) = (195, 150)

/// Checks that the Lua source in scenarios and snapshots evaluates to the value.
private func checkSource(of value: Value) throws {
  guard let expected = value.asLuaHasIt, value.depth <= deepestValue else { return }
  let exact = try evaluated(value.source)
  try require(exact.bytes == expected.bytes, "the source \(value.source) says \(exact.source)")
  guard value.isWithoutNaN, value.depth <= deepestExpression else { return }
  let snapshot = try evaluated(SnapshotText.text(of: value))
  try require(
    snapshot.loose.bytes == expected.loose.bytes,
    "the snapshot \(SnapshotText.text(of: value)) says \(snapshot.source)")
}

/// Returns the value that a flow, a scenario or a prompt reads from a text.
private func evaluated(_ source: String) throws -> Value {
  let limits = Limits(nesting: 200)
  let flow = try LoadedFlow(
    source: "state {}\nlocal it = \(source)\nfunction view.it() return it end",
    name: "source.lua", limits: limits)
  let options = HostOptions(limits: limits, clock: .virtual, print: { _ in }, report: { _ in })
  return try FlowHost(flow, options: options).view("it")
}

extension Value {
  /// The encoded value, which distinguishes all values; all NaN are equal.
  var bytes: [UInt8] {
    var writer = ValueWriter()
    writer.write(withOneNaN)
    return writer.bytes
  }

  private var withOneNaN: Value {
    switch self {
    case .number(let number) where number.isNaN: .number(.nan)
    case .list(let elements): .list(elements.map(\.withOneNaN))
    case .record(let fields): .record(fields.mapValues(\.withOneNaN))
    case .map(let entries): .map(entries.mapValues(\.withOneNaN))
    default: self
    }
  }

  /// The value as it is in Lua, where a nil field does not exist, and an empty map has no type of keys.
  ///
  /// It is nil for a list with holes, which Lua does not have.
  fileprivate var asLuaHasIt: Value? {
    switch self {
    case .list(let elements):
      elements.contains(where: \.isNil) ? nil : elements.all(\.asLuaHasIt).map { .list($0) }
    case .record(let fields):
      fields.filter { !$0.value.isNil }.all { $0.asLuaHasIt }.map { .record($0) }
    case .map(let entries):
      entries.filter { !$0.value.isNil }.all { $0.asLuaHasIt }
        .map { $0.isEmpty ? .record([:]) : .map($0) }
    default: self
    }
  }

  fileprivate var depth: Int {
    switch self {
    case .list(let elements): 1 + (elements.map(\.depth).max() ?? 0)
    case .record(let fields): 1 + (fields.values.map(\.depth).max() ?? 0)
    case .map(let entries): 1 + (entries.values.map(\.depth).max() ?? 0)
    default: 0
    }
  }

  /// True if the value has no NaN: messages and snapshots write `nan`, which no script can express.
  fileprivate var isWithoutNaN: Bool {
    switch self {
    case .number(let number): !number.isNaN
    case .list(let elements): elements.allSatisfy(\.isWithoutNaN)
    case .record(let fields): fields.values.allSatisfy(\.isWithoutNaN)
    case .map(let entries): entries.values.allSatisfy(\.isWithoutNaN)
    default: true
    }
  }
}

extension [Value] {
  fileprivate func all(_ change: (Value) -> Value?) -> [Value]? {
    let changed = compactMap(change)
    return changed.count == count ? changed : nil
  }
}

extension Dictionary where Value == LuaRuntime.Value {
  fileprivate func all(_ change: (Value) -> Value?) -> [Key: Value]? {
    let changed = compactMapValues(change)
    return changed.count == count ? changed : nil
  }
}
