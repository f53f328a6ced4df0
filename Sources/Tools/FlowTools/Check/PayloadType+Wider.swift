import FlowLanguage
import LuaRuntime

extension PayloadType {
  /// Returns true if the type has values of the other type's kind that the other type refuses.
  ///
  /// Patterns are not compared, nor are lists, maps and records.
  func isWider(than other: PayloadType) -> Bool {
    switch (self, other) {
    case (_, .optional(let inner)): isWider(than: inner)
    case (.optional(let inner), _): inner.isWider(than: other)
    case (.integer(let min, let max, _), .integer(let least, let most, _)),
      (.integer(let min, let max, _), .number(let least, let most, _)),
      (.number(let min, let max, _), .number(let least, let most, _)):
      PayloadType.exceeds(least, min, by: <) || PayloadType.exceeds(most, max, by: >)
    case (.string(_, let min, let max, _), .string(_, let least, let most, _)):
      (min ?? 0) < (least ?? 0) || (max ?? .max) > (most ?? .max)
    case (.oneOf(let values, _), .oneOf(let allowed, _)):
      !values.allSatisfy(allowed.contains) && values.contains(where: allowed.contains)
    case (.string, .oneOf(let allowed, _)): allowed.contains { $0.stringValue != nil }
    default: false
    }
  }

  /// Returns true if a bound of the narrower type is beyond the other's.
  private static func exceeds(
    _ bound: Value?, _ other: Value?, by isBeyond: (Double, Double) -> Bool
  ) -> Bool {
    guard let bound = bound?.doubleValue else { return false }
    guard let other = other?.doubleValue else { return true }
    return isBeyond(other, bound)
  }
}
