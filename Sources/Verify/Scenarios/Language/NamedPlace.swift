import FlowLanguage
import LuaRuntime

/// A place that an expectation names, with the value that is expected there.
///
/// The value is a scalar, a list, `{}` or `none`, or a record or map if something else was found.
struct NamedPlace {
  let path: StatePath
  let value: Value

  /// Returns the places that fields name, in the order of their names.
  ///
  /// A key is a field, or a path as reports print it: `["rows[1].note"]`. If it could be either, the found state and
  /// the one before decide, so that a map of file names can be expected too.
  static func all(
    in fields: [String: Value], against found: Value, before: Value? = nil
  ) -> [NamedPlace] {
    fields.keys.sorted().flatMap { name in
      let path = path(named: name, against: [found, before ?? found])
      return all(
        of: fields[name] ?? .nil, at: path, found.value(at: path), before?.value(at: path))
    }
  }

  /// Returns the places that a value names which is expected at a path.
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

  /// Returns the expected elements of a map by their keys; nil if the value does not name elements.
  ///
  /// Keys from 1 to n look like a list: the found value and the one before decide.
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

  /// Returns true if the changed leaf was replaced by the table that contains this place.
  func isInside(_ change: LeafChange, of new: Value) -> Bool {
    change.new.isNil && path.keys.count > change.path.keys.count && path.starts(with: change.path)
      && new.value(at: change.path) != nil
  }
}
