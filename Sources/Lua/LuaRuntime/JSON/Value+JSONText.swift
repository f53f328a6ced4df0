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

  /// Returns the place of the first null in a list, which a value of a flow cannot hold; nil if there is none.
  ///
  /// - Parameter place: the name of this value.
  package func nullInList(at place: String) -> String? {
    switch self {
    case .list(let elements):
      for (index, element) in elements.enumerated() {
        let here = "\(place)[\(index + 1)]"
        if element.isNil { return here }
        if let found = element.nullInList(at: here) { return found }
      }
    case .record(let fields):
      for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
        if let found = field.nullInList(at: "\(place).\(name)") { return found }
      }
    default: break
    }
    return nil
  }
}
