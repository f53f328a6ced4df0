extension Value {
  /// True if the value is a table that is not empty.
  var holdsSomething: Bool {
    switch self {
    case .list(let elements): !elements.isEmpty
    case .record(let fields): !fields.isEmpty
    case .map(let entries): !entries.isEmpty
    default: false
    }
  }
}
