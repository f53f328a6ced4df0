/// A pattern of paths: `*` and `?` within a folder, `**` for folders of any depth, `[abc]`.
struct GlobPattern {
  /// The folder that contains everything that matches.
  let base: String
  private let parts: [[Character]]

  /// Makes a pattern of a path; returns nil if the path has no wildcards.
  init?(_ path: String) {
    guard path.contains(where: { "*?[".contains($0) }) else { return nil }
    let all = path.split(separator: "/").map(Array.init)
    let fixed = all.prefix { !$0.contains { "*?[".contains($0) } }
    let folder = fixed.map { String($0) }.joined(separator: "/")
    base = (path.hasPrefix("/") ? "/" : "") + folder
    parts = Array(all.dropFirst(fixed.count))
  }

  /// Returns true if a path below the base matches.
  func matches(_ path: String) -> Bool {
    matches(parts[...], path.split(separator: "/").map(Array.init)[...])
  }

  private func matches(_ parts: ArraySlice<[Character]>, _ path: ArraySlice<[Character]>) -> Bool {
    guard let part = parts.first else { return path.isEmpty }
    if part == ["*", "*"] {
      return matches(parts.dropFirst(), path) || (!path.isEmpty && matches(parts, path.dropFirst()))
    }
    guard let name = path.first, GlobPattern.fits(part[...], name[...]) else { return false }
    return matches(parts.dropFirst(), path.dropFirst())
  }

  private static func fits(_ pattern: ArraySlice<Character>, _ name: ArraySlice<Character>) -> Bool
  {
    guard let first = pattern.first else { return name.isEmpty }
    switch first {
    case "*":
      return fits(pattern.dropFirst(), name) || (!name.isEmpty && fits(pattern, name.dropFirst()))
    case "[":
      guard let end = pattern.dropFirst(2).firstIndex(of: "]"), let letter = name.first else {
        return false
      }
      let isNegated = pattern[pattern.startIndex + 1] == "!"
      let choices = pattern[pattern.index(pattern.startIndex, offsetBy: isNegated ? 2 : 1)..<end]
      return isIn(choices, letter) != isNegated && fits(pattern[(end + 1)...], name.dropFirst())
    default:
      guard let letter = name.first, first == "?" || first == letter else { return false }
      return fits(pattern.dropFirst(), name.dropFirst())
    }
  }

  private static func isIn(_ choices: ArraySlice<Character>, _ letter: Character) -> Bool {
    var rest = choices
    while let first = rest.popFirst() {
      if rest.first == "-", rest.count > 1 {
        rest.removeFirst()
        if let last = rest.popFirst(), first <= letter, letter <= last { return true }
      } else if first == letter {
        return true
      }
    }
    return false
  }
}
