import LuaRuntime

/// An exploration that was stopped, or killed, as it was kept in a file: it goes on from there, to the report to which it
/// would have come.
public struct ExplorationCheckpoint: Sendable {
  /// The first line of files that are checkpoints.
  public static let mark = CheckpointFile.mark

  let path: String
  let identity: CheckpointIdentity

  /// Reads a checkpoint.
  ///
  /// - Throws: `ExplorationError` where there is none, or where it is damaged.
  public init(_ path: String) throws(ExplorationError) {
    self.path = path
    identity = try ExplorationCheckpoint.open(path).identity
  }

  /// A reader that stands behind what says what it is of.
  static func open(
    _ path: String
  ) throws(ExplorationError) -> (reader: CheckpointReader, identity: CheckpointIdentity) {
    let reader = try CheckpointReader(path)
    guard reader.read(CheckpointFile.mark.utf8.count) != nil,
      let bytes = ExplorationCheckpoint.part(reader),
      let identity = bytes.withUnsafeBytes({ bytes in
        var reader = ValueReader(bytes)
        return try? CheckpointIdentity(from: &reader)
      })
    else { throw CheckpointReader.damaged(path) }
    return (reader, identity)
  }

  /// A part that says how long it is.
  static func part(_ reader: CheckpointReader) -> [UInt8]? {
    guard let head = reader.read(8) else { return nil }
    let count = head.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    return reader.read(Int(clamping: count))
  }

  /// Whether it is of an exploration, whatever has become of that since.
  public func isOf(_ exploration: Exploration) -> Bool {
    identity.isNamedLike(exploration.identity)
  }

  /// What messages call that of which it is: `jugs.lua: the jugs`.
  public var title: String { identity.title }
}

/// Where and how often an exploration is kept, so that it can go on.
public struct CheckpointPlan: Sendable {
  /// The file.
  public let path: String
  /// So long after the last one comes the next.
  public let every: Duration

  /// Keeps an exploration in a file, so long after the last time.
  public init(_ path: String, every: Duration = .seconds(30)) {
    (self.path, self.every) = (path, every)
  }
}
