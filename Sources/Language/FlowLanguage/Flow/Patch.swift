import LuaRuntime

/// Changes of the state, in the order in which they apply.
///
/// A patch is stored as the bytes that the VM returned, and decoded only when it is read.
public struct Patch: Sendable, Hashable {
  /// The operation of a change.
  public enum Operation: UInt8, Sendable, Codable {
    /// Replaces a value, or sets one where there was none.
    case set
    /// Inserts an element into a list; the elements after it move up.
    case insert
    /// Removes an element from a list; the elements after it move down.
    case remove
  }

  /// A change.
  public struct Change: Sendable, Hashable {
    /// The operation.
    public let operation: Operation
    /// The path of the changed value, at the moment of the change.
    public let path: StatePath
    /// The value before the change; `.nil` if there was none.
    public let old: Value
    /// The value after the change; `.nil` if there is none.
    public let new: Value
    /// The secrets that are hidden when the change is shown.
    private let secrets: Secrets?

    package init(
      operation: Operation, path: StatePath, old: Value, new: Value, secrets: Secrets? = nil
    ) {
      (self.operation, self.path, self.old, self.new) = (operation, path, old, new)
      self.secrets = secrets
    }

    /// The change with dots in place of secrets.
    package var shown: Change { secrets?.hiding(self) ?? self }

    /// The change that undoes this one.
    package var reversed: Change {
      let opposite: Operation =
        switch operation {
        case .set: .set
        case .insert: .remove
        case .remove: .insert
        }
      return Change(operation: opposite, path: path, old: new, new: old, secrets: secrets)
    }

    /// Returns true if the changes are equal, whatever of them is shown.
    public static func == (one: Change, other: Change) -> Bool {
      one.operation == other.operation && one.path == other.path && one.old == other.old
        && one.new == other.new
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(operation)
      hasher.combine(path)
      hasher.combine(old)
      hasher.combine(new)
    }
  }

  package let bytes: CompactBytes
  /// The secrets that are hidden when changes are shown.
  private let secrets: Secrets?

  package init(bytes: CompactBytes, secrets: Secrets? = nil) {
    (self.bytes, self.secrets) = (bytes, secrets)
  }

  private init(_ changes: [Change], secrets: Secrets?) {
    var writer = ValueWriter()
    for change in changes {
      writer.writeByte(change.operation.rawValue)
      writer.write(.list(change.path.keys.map(\.value)))
      writer.write(change.old)
      writer.write(change.new)
    }
    self.init(bytes: CompactBytes(writer.bytes), secrets: secrets)
  }

  /// The net changes: one for each place that differs in the end, from its first value to its last.
  ///
  /// A write that a later one takes back is left out, and writes inside a value that was replaced or inserted are part of
  /// that change. The result leads from the same state to the same state.
  public var net: Patch {
    let all = changes
    guard !NetChanges.areNet(all) else { return self }
    return Patch(NetChanges(of: all).changes, secrets: secrets)
  }

  /// Returns true if the changes are equal, whatever of them is shown.
  public static func == (one: Patch, other: Patch) -> Bool { one.bytes == other.bytes }

  /// Hashes the bytes that `==` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// True if nothing changed.
  public var isEmpty: Bool { bytes.count == 0 }

  /// The changes, decoded at each access.
  public var changes: [Change] {
    bytes.withUnsafeBytes { buffer in
      var reader = ValueReader(buffer)
      var changes: [Change] = []
      // The runtime wrote the bytes, so unreadable ones are an internal error; they end the list.
      do {
        while !reader.isAtEnd {
          if let change = try Patch.read(&reader, secrets) { changes.append(change) }
        }
      } catch {}
      return changes
    }
  }

  /// Reads a change; returns nil for one that matters only to the VM.
  ///
  /// Such a change sets the kind of an empty table, which shows when a value is put there next.
  private static func read(
    _ reader: inout ValueReader, _ secrets: Secrets?
  ) throws -> Change? {
    let operation = Operation(rawValue: try reader.byte())
    let keys = (try reader.value().listValue ?? []).compactMap(StatePath.Key.init)
    let (old, new) = (try reader.value(), try reader.value())
    return operation.map {
      Change(operation: $0, path: StatePath(keys), old: old, new: new, secrets: secrets)
    }
  }
}

extension Patch: CustomStringConvertible {
  /// The changes, one per line: `coins: 0 -> 1`.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}

extension Patch.Change: CustomStringConvertible {
  /// The change on one line: `coins: 0 -> 1`, `rows[3]: inserted { id = 7 }`.
  ///
  /// Dots replace values whose types are secret.
  public var description: String { shown.text }

  private var text: String {
    switch operation {
    case .set: "\(path): \(old.text(limit: 200)) -> \(new.text(limit: 200))"
    case .insert: "\(path): inserted \(new.text(limit: 200))"
    case .remove: "\(path): removed \(old.text(limit: 200))"
    }
  }
}
