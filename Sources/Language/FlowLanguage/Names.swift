import CLatch
import LuaRuntime

/// Texts about names, and suggestions for mistyped ones.
package enum Names {
  /// The maximum number of candidates for a suggestion: each mistake costs time in proportion to it.
  private static let most = 1_000

  /// Returns the candidate nearest to a mistyped name; nil if none is near, or if there are too many.
  package static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    let candidates = Array(candidates.prefix(most + 1))
    guard candidates.count <= most else { return nil }
    return candidates.lazy.map { ($0, Int(latch_nearness(name, $0))) }.filter { $0.1 >= 0 }
      .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// Returns `; did you mean NAME?`, or an empty text.
  package static func suggestion(for name: String, among candidates: some Sequence<String>)
    -> String
  {
    nearest(to: name, among: candidates).map { "; did you mean \($0)?" } ?? ""
  }

  /// Returns a replacement for something that Lua or another language has and flows do not have; otherwise nil.
  ///
  /// - Parameter path: a global, or `library.field`.
  package static func advice(forAbsent path: String) -> String? {
    latch_absent_advice(path).map { String(cString: $0) }
  }

  /// Returns true for a global that Lua or an older release of it has, and flows have not.
  package static func isAbsentGlobal(_ name: String) -> Bool { latch_is_absent_global(name) }

  /// Returns several names as part of a sentence: `a, b and c`.
  package static func list(_ names: [String]) -> String {
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Returns a name after its kind, as Lua reads it: `gate.push`, `gate["T02 Check"]`.
  package static func dotted(_ kind: String, _ name: String) -> String {
    Value.isName(name) ? "\(kind).\(name)" : "\(kind)[\(Value.quoted(name, limit: .max))]"
  }
}
