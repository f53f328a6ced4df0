import LuaRuntime

/// A path at which a view's value changed, as deep as both values have tables of the same kind.
struct ViewDifference {
  /// The path, which begins with the view's name.
  let path: StatePath
  /// True if it is an element of a list.
  let isElement: Bool
  let old: Value
  let new: Value

  /// The maximum number of differences that are reported for one view.
  static let most = 10

  static func all(
    from old: Value, to new: Value, at path: StatePath, isElement: Bool = false
  ) -> [ViewDifference] {
    if old == new { return [] }
    let here = ViewDifference(path: path, isElement: isElement, old: old, new: new)
    switch (old, new) {
    case (.record(let was), .record(let becomes)) where !was.isEmpty && !becomes.isEmpty:
      return Set(was.keys).union(becomes.keys).sorted().flatMap {
        all(from: was[$0] ?? .nil, to: becomes[$0] ?? .nil, at: path.appending(.field($0)))
      }
    case (.map(let was), .map(let becomes)) where !was.isEmpty && !becomes.isEmpty:
      return Set(was.keys).union(becomes.keys).sorted().flatMap {
        all(from: was[$0] ?? .nil, to: becomes[$0] ?? .nil, at: path.appending(.index($0)))
      }
    case (.list(let was), .list(let becomes)) where !was.isEmpty && !becomes.isEmpty:
      return (0..<max(was.count, becomes.count)).flatMap {
        all(
          from: $0 < was.count ? was[$0] : .nil, to: $0 < becomes.count ? becomes[$0] : .nil,
          at: path.appending(.index($0 + 1)), isElement: true)
      }
    default: return [here]
    }
  }
}
