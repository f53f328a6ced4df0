import LuaRuntime

/// Describes errors of encoding and decoding in messages.
package enum CodingSentence {
  /// Returns a description such as `rows[1].note: expected a string, got 5`.
  package static func describe(_ error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
      sentence(context.codingPath, context.debugDescription)
    case EncodingError.invalidValue(_, let context):
      sentence(context.codingPath, context.debugDescription)
    default: "\(error)"
    }
  }

  private static func sentence(_ path: [any CodingKey], _ text: String) -> String {
    let keys = path.map { key in
      key.intValue.map { StatePath.Key.index($0 + 1) } ?? .field(key.stringValue)
    }
    return keys.isEmpty ? text : "\(StatePath(keys)): \(text)"
  }
}
