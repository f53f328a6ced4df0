import LuaRuntime

extension Outcome {
  /// The text that a transcript stores: the outcome's description, and for a passed action its changes.
  package var transcribed: String {
    if case .passed(let commit) = self {
      let changes = commit.changes.changes.map(\.description).joined(separator: "; ")
      return changes.isEmpty ? description : "\(description): \(changes)"
    }
    return summary
  }

  private var summary: String {
    if case .failed(let failure) = self { return failure.summary }
    return description
  }
}
