import LuaRuntime

/// A rejected dispatch, as an entry stores it if the host keeps those (`HostOptions.keepsRefusals`).
package struct RejectedDispatchRecord: Sendable {
  package let action: String
  /// The payload; nil if it was too long to be stored.
  package let payload: Value?
  package let by: String?
  /// The time of the case, in microseconds since its birth.
  package let time: Int
  package let hasFailed: Bool
  /// The refusal or failure, as a sentence.
  package private(set) var sentence: String

  /// The greatest size of a stored payload, in bytes; a longer text is cut to `longestText` Unicode scalars.
  static let longestPayload = 16 << 10
  static let longestText = 1_000

  /// Creates the record; nil for a dispatch that passed.
  package init?(_ dispatch: RejectedDispatch) {
    switch dispatch.outcome {
    case .passed: return nil
    case .refused(let refusal): (hasFailed, sentence) = (false, refusal.description)
    case .failed(let failure): (hasFailed, sentence) = (true, failure.summary)
    }
    (action, by, time) = (dispatch.action.cut, dispatch.by?.cut, dispatch.microseconds)
    payload =
      dispatch.payload.size <= RejectedDispatchRecord.longestPayload ? dispatch.payload : nil
    sentence = sentence.cut
  }

  /// The approximate size of the record in an entry, in bytes.
  fileprivate var size: Int {
    32 + action.utf8.count + (by?.utf8.count ?? 0) + sentence.utf8.count + (payload?.size ?? 0)
  }
}

extension String {
  fileprivate var cut: String {
    let most = RejectedDispatchRecord.longestText
    if utf8.count <= most || unicodeScalars.count <= most { return self }
    return String(unicodeScalars.prefix(most)) + "..."
  }
}

/// The rejected dispatches of a turn, for its entry: the first ones, and a count of the others.
///
/// Their number and their bytes are limited, so that a batch of rejected dispatches never makes an entry that is too
/// large to read.
struct RejectedDispatches: Sendable {
  package static let most = 1_000
  package static let mostBytes = 256 << 10

  package private(set) var all: [RejectedDispatchRecord] = []
  package private(set) var dropped = 0
  private var bytes = 0

  package var isEmpty: Bool { all.isEmpty }

  package mutating func add(_ record: RejectedDispatchRecord) {
    let size = bytes + record.size
    guard dropped == 0, all.count < Self.most, size <= Self.mostBytes else {
      dropped += 1
      return
    }
    bytes = size
    all.append(record)
  }
}

extension RejectedDispatchRecord: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(action)
    writer.write(payload) { $0.write($1) }
    writer.write(by) { $0.writeText($1) }
    writer.writeInteger(time)
    writer.write(hasFailed)
    writer.writeText(sentence)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    action = try reader.readText()
    payload = try reader.readOptional { reader throws(ValueReader.Malformed) in try reader.value() }
    by = try reader.readOptional { reader throws(ValueReader.Malformed) in try reader.readText() }
    time = try reader.readInteger()
    hasFailed = try reader.readFlag()
    sentence = try reader.readText()
  }
}
