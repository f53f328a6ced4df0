import LuaRuntime

/// The changes that one transition made, in the order in which they apply.
///
/// It is kept as the bytes that came out of the VM and read only when somebody looks.
public struct Patch: Sendable, Hashable {
  /// What a change does.
  public enum Operation: UInt8, Sendable, Codable {
    /// A value takes the place of another one, or of none.
    case set
    /// An element is inserted into a list; those behind it move up.
    case insert
    /// An element is removed from a list; those behind it move down.
    case remove
  }

  /// One change.
  public struct Change: Sendable, Hashable {
    /// What it does.
    public let operation: Operation
    /// Where, at the moment of the change.
    public let path: StatePath
    /// The value before; `.nil` where there was none.
    public let old: Value
    /// The value after; `.nil` where there is none.
    public let new: Value
    /// What of it is not shown.
    private let secrets: Secrets?

    package init(
      operation: Operation, path: StatePath, old: Value, new: Value, secrets: Secrets? = nil
    ) {
      (self.operation, self.path, self.old, self.new) = (operation, path, old, new)
      self.secrets = secrets
    }

    /// The same with dots in place of what is not shown.
    package var shown: Change { secrets?.hiding(self) ?? self }

    /// The change that takes this one back.
    package var reversed: Change {
      let opposite: Operation =
        switch operation {
        case .set: .set
        case .insert: .remove
        case .remove: .insert
        }
      return Change(operation: opposite, path: path, old: new, new: old, secrets: secrets)
    }

    /// True if they are the same change, whatever of it is shown.
    public static func == (one: Change, other: Change) -> Bool {
      one.operation == other.operation && one.path == other.path && one.old == other.old
        && one.new == other.new
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(operation)
      hasher.combine(path)
      hasher.combine(old)
      hasher.combine(new)
    }
  }

  package let bytes: CompactBytes
  /// What of it is not shown.
  private let secrets: Secrets?

  package init(bytes: CompactBytes, secrets: Secrets? = nil) {
    (self.bytes, self.secrets) = (bytes, secrets)
  }

  /// True if they are the same changes, whatever of them is shown.
  public static func == (one: Patch, other: Patch) -> Bool { one.bytes == other.bytes }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// True if nothing changed.
  public var isEmpty: Bool { bytes.count == 0 }

  /// The changes, read afresh each time.
  public var changes: [Change] {
    bytes.withUnsafeBytes { buffer in
      var reader = ValueReader(buffer)
      var changes: [Change] = []
      // The bytes are our own: what cannot be read would be a fault of ours and ends the list.
      do {
        while !reader.isAtEnd {
          if let change = try Patch.read(&reader, secrets) { changes.append(change) }
        }
      } catch {}
      return changes
    }
  }

  /// Reads a change; nil for one that matters to the VM alone: that an empty table takes a kind, which
  /// shows in what is put there next.
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
  /// The changes, one a line: `coins: 0 -> 1`.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}

extension Patch.Change: CustomStringConvertible {
  /// The change on one line: `coins: 0 -> 1`, `rows[3]: inserted { id = 7 }`.
  ///
  /// Dots stand for what the flow's types call secret.
  public var description: String { shown.text }

  private var text: String {
    switch operation {
    case .set: "\(path): \(old.text(limit: 200)) -> \(new.text(limit: 200))"
    case .insert: "\(path): inserted \(new.text(limit: 200))"
    case .remove: "\(path): removed \(old.text(limit: 200))"
    }
  }
}
