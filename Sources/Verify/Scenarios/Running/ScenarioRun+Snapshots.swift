import LuaRuntime

/// Comparing with snapshots, for `expect.snapshot`.
extension ScenarioRun {
  /// Compares a value, or the dispatches so far, with a snapshot.
  ///
  /// Arguments: kind, place, name, true if there is a value, the value.
  func compareSnapshot(_ arguments: [Value]) throws -> Bool {
    let name = arguments.count > 2 ? arguments[2].stringValue ?? "" : ""
    guard Snapshots.isName(name) else {
      throw UsageError(
        "the name of a snapshot has letters, digits, spaces, -, _ and ., not \(Value.quoted(name, limit: 60))"
      )
    }
    let hasValue = arguments.count > 3 && arguments[3] == true
    let text =
      hasValue
      ? SnapshotText.text(of: arguments.count > 4 ? arguments[4] : .nil)
      : SnapshotText.text(of: timeline.latest, earlier: timeline.earlier)
    let shown = engine.hidingSecrets(in: text)
    let snapshots = Snapshots(
      file: filePath, name: fileName, policy: settings.snapshots,
      room: room)
    switch snapshots.compare(shown, with: name) {
    case .same: return true
    case .written(let path):
      printed.add("wrote \(path)")
      return true
    case .differs(let mismatches, let path):
      fail(
        at: arguments[1],
        "snapshot \(name) does not match (\(path); --update stores the current value)", mismatches)
    case .missing(let path):
      fail(
        at: arguments[1],
        "there is no snapshot \(name) (\(path)), and in CI none is written: "
          + "run this once by hand and commit it", [])
    case .refused(let problem): fail(at: arguments[1], "snapshot \(name): \(problem)", [])
    }
    return false
  }
}
