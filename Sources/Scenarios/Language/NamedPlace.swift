import Moonlatch

/// A place that an expectation names, with what is expected there: a scalar, a list, `{}`, `none`,
/// or a record where something else was found.
struct NamedPlace {
  let path: StatePath
  let value: Value

  /// The places that fields name, in the order of their names.
  ///
  /// A key is a field, or a path as reports print it: `["rows[1].note"]`. What was found, or was
  /// there before, decides where it could be either: a map of file names can be expected too.
  static func all(
    in fields: [String: Value], against found: Value, before: Value? = nil
  ) -> [NamedPlace] {
    fields.keys.sorted().flatMap { name in
      let path = path(named: name, against: [found, before ?? found])
      let value = fields[name] ?? .nil
      let present = found.value(at: path)
      guard case .record(let inner) = value, !inner.isEmpty, case .record? = present, let present
      else { return [NamedPlace(path: path, value: value)] }
      return all(in: inner, against: present, before: before?.value(at: path)).map {
        NamedPlace(path: StatePath(path.keys + $0.path.keys), value: $0.value)
      }
    }
  }

  private static func path(named name: String, against present: [Value]) -> StatePath {
    let field = StatePath([.field(name)])
    if present.contains(where: { $0.value(at: field) != nil }) { return field }
    return StatePath(parsing: name) ?? field
  }

  /// Whether the change is that of a leaf which gave way to the table that holds this place.
  func isInside(_ change: LeafChange, of new: Value) -> Bool {
    change.new.isNil && path.keys.count > change.path.keys.count && path.starts(with: change.path)
      && new.value(at: change.path) != nil
  }
}
