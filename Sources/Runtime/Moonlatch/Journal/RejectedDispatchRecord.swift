import LuaRuntime

/// A dispatch that has not passed, as an entry tells of it where a host keeps those (`HostOptions.keepsRefusals`).
struct RejectedDispatchRecord: Sendable {
  let action: String
  /// Nil where it was too long to be kept.
  let payload: Value?
  let by: String?
  /// Of the case, in microseconds since its birth.
  let time: Int
  let hasFailed: Bool
  /// What it came to.
  let sentence: String

  /// So many stand in an entry at most, the latest ones, and so long is a payload that is kept, in bytes.
  static let most = 1_000
  static let longestPayload = 16 << 10

  /// Nil for a dispatch that has passed.
  init?(_ outcome: Outcome, of action: String, _ payload: Value, by: String?, at time: Int) {
    switch outcome {
    case .passed: return nil
    case .refused(let refusal): (hasFailed, sentence) = (false, refusal.description)
    case .failed(let failure): (hasFailed, sentence) = (true, failure.summary)
    }
    (self.action, self.by, self.time) = (action, by, time)
    self.payload = payload.size <= RejectedDispatchRecord.longestPayload ? payload : nil
  }
}

extension RejectedDispatchRecord: Stored {
  func write(to writer: inout ValueWriter) {
    writer.writeText(action)
    writer.write(payload) { $0.write($1) }
    writer.write(by) { $0.writeText($1) }
    writer.writeInteger(time)
    writer.write(hasFailed)
    writer.writeText(sentence)
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    action = try reader.readText()
    payload = try reader.readOptional { reader throws(ValueReader.Malformed) in try reader.value() }
    by = try reader.readOptional { reader throws(ValueReader.Malformed) in try reader.readText() }
    time = try reader.readInteger()
    hasFailed = try reader.readFlag()
    sentence = try reader.readText()
  }
}
