import LuaRuntime

/// A place of the state that contains symmetric values: `rm[r]`, `winner = r`, `queue[*].by = r`.
struct SymmetryPlace: Sendable, Equatable {
  enum Step: Sendable, Equatable {
    case name(String)
    /// Any key: `[*]`.
    case any
    /// Any symmetric value as a key: `[r]`.
    case alike
  }

  let steps: [Step]
  /// True if the content of the place is a symmetric value.
  let holds: Bool

  /// Reads a place in the notation of exploration files.
  ///
  /// - Parameter name: the name of the values in the file.
  /// - Returns: nil if the text is not a place.
  init?(_ text: String, of name: String) {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    func trimmed(_ part: Substring) -> Substring {
      part.drop { $0 == " " }.reversedDrop { $0 == " " }
    }
    guard let path = parts.first.map(trimmed), parts.count <= 2 else { return nil }
    if parts.count == 2, trimmed(parts[1]) != name[...] { return nil }
    var steps: [Step] = []
    var rest = path
    while let first = rest.first {
      if first == "[" {
        guard let end = rest.firstIndex(of: "]") else { return nil }
        switch rest[rest.index(after: rest.startIndex)..<end] {
        case "*": steps.append(.any)
        case name[...]: steps.append(.alike)
        default: return nil
        }
        rest = rest[rest.index(after: end)...]
        continue
      }
      if !steps.isEmpty {
        guard first == "." else { return nil }
        rest = rest.dropFirst()
      }
      let word = rest.prefix { $0 != "." && $0 != "[" }
      guard Value.isName(String(word)) else { return nil }
      steps.append(.name(String(word)))
      rest = rest[word.endIndex...]
    }
    (self.steps, holds) = (steps, parts.count == 2)
    guard case .name? = steps.first, holds || steps.contains(.alike) else { return nil }
  }

  /// The field of the state that contains the place.
  var field: String {
    if case .name(let name)? = steps.first { name } else { "" }
  }

  /// Returns true if the content of a place is a symmetric value.
  ///
  /// - Parameter path: the keys to the place, each with true if it is a symmetric value there.
  func holds(at path: [(key: StatePath.Key, isAlike: Bool)]) -> Bool {
    holds && steps.count == path.count && leads(to: path)
  }

  /// Returns true if keys of the table at a place are symmetric values.
  func hasKeys(at path: [(key: StatePath.Key, isAlike: Bool)]) -> Bool {
    steps.count > path.count && steps[path.count] == .alike && leads(to: path)
  }

  private func leads(to path: [(key: StatePath.Key, isAlike: Bool)]) -> Bool {
    zip(steps, path).allSatisfy { step, entry in
      switch step {
      case .any, .alike: true
      case .name(let name): !entry.isAlike && entry.key == .field(name)
      }
    }
  }
}

extension Substring {
  fileprivate func reversedDrop(while isDropped: (Character) -> Bool) -> Substring {
    var text = self
    while let last = text.last, isDropped(last) { text.removeLast() }
    return text
  }
}
