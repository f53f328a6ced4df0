import LuaRuntime

/// A place in which a view's value differs from what it was: as far down as both have tables of a kind.
struct ViewDifference {
  /// The place, which begins with the view.
  let path: StatePath
  /// Whether it is one of a list's.
  let isElement: Bool
  let old: Value
  let new: Value

  /// How many of one view are told.
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
