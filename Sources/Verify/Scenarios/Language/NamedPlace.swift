import FlowLanguage
import LuaRuntime

/// A place that an expectation names, with what is expected there: a scalar, a list, `{}`, `none`,
/// or a record or map where something else was found.
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
      return all(
        of: fields[name] ?? .nil, at: path, found.value(at: path), before?.value(at: path))
    }
  }

  /// The places that a value names, which is expected at a path.
  private static func all(
    of value: Value, at path: StatePath, _ present: Value?, _ before: Value?
  ) -> [NamedPlace] {
    if Matcher(value) == nil, case .record(let inner) = value, !inner.isEmpty,
      case .record? = present, let present
    {
      return all(in: inner, against: present, before: before).map {
        NamedPlace(path: StatePath(path.keys + $0.path.keys), value: $0.value)
      }
    }
    guard let entries = entries(value, against: [present, before]) else {
      return [NamedPlace(path: path, value: value)]
    }
    return entries.sorted { $0.key < $1.key }.flatMap { number, value in
      let key = StatePath.Key.index(number)
      return all(of: value, at: path.appending(key), present?[key], before?[key])
    }
  }

  /// What is expected of a map, element by element; nil where there is none.
  ///
  /// Keys from 1 to n look like a list: what was found, or was there before, decides.
  private static func entries(_ value: Value, against present: [Value?]) -> [Int: Value]? {
    let isMap = present.contains { if case .map? = $0 { true } else { false } }
    let isList = present.contains { if case .list? = $0 { true } else { false } }
    switch value {
    case .map(let entries) where isMap || isList: return entries
    case .list(let elements) where isMap && !elements.isEmpty: return elements.byNumber
    default: return nil
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
