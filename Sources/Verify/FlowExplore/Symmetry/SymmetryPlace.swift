import LuaRuntime

/// A place of the state that values which may be exchanged have to do with: `rm[r]`, `winner = r`, `queue[*].by = r`.
struct SymmetryPlace: Sendable, Equatable {
  enum Step: Sendable, Equatable {
    case name(String)
    /// Any key: `[*]`.
    case any
    /// Keys that are such values: `[r]`.
    case alike
  }

  let steps: [Step]
  /// Whether such a value stands there.
  let holds: Bool

  /// Reads how a file writes it.
  ///
  /// - Parameter name: what the file calls the values.
  /// - Returns: nil for what is none.
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

  /// The field of the state in which it lies.
  var field: String {
    if case .name(let name)? = steps.first { name } else { "" }
  }

  /// Whether such a value stands at a place, which is told by its keys and whether each is a value that may
  /// be exchanged there.
  func holds(at path: [(key: StatePath.Key, isAlike: Bool)]) -> Bool {
    holds && steps.count == path.count && leads(to: path)
  }

  /// Whether keys of the table at a place are such values.
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
