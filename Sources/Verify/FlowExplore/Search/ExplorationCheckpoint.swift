import LuaRuntime

/// A checkpoint file of a stopped or killed exploration, which can resume from it and yields the same report.
public struct ExplorationCheckpoint: Sendable {
  /// The first line of checkpoint files.
  public static let mark = CheckpointFile.mark

  let path: String
  let identity: CheckpointIdentity

  /// Reads a checkpoint.
  ///
  /// - Throws: `ExplorationError` if there is none, or if it is damaged.
  public init(_ path: String) throws(ExplorationError) {
    self.path = path
    identity = try ExplorationCheckpoint.open(path).identity
  }

  /// Opens a checkpoint, and returns its identity and a reader of the data that follows.
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

  /// Returns the next part of the file, which begins with its length; nil if the file is too short.
  static func part(_ reader: CheckpointReader) -> [UInt8]? {
    guard let head = reader.read(8) else { return nil }
    let count = head.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    return reader.read(Int(clamping: count))
  }

  /// Returns true if the checkpoint is of the exploration with these names, even if its contents have changed.
  public func isOf(_ exploration: Exploration) -> Bool {
    identity.isNamedLike(exploration.identity)
  }

  /// The title of the exploration in messages: `jugs.lua: the jugs`.
  public var title: String { identity.title }
}

/// The file and the interval in which an exploration saves checkpoints.
public struct CheckpointPlan: Sendable {
  /// The path of the checkpoint file.
  public let path: String
  /// The time between two checkpoints.
  public let every: Duration

  /// Creates a plan that saves checkpoints to a file, by default every 30 seconds.
  public init(_ path: String, every: Duration = .seconds(30)) {
    (self.path, self.every) = (path, every)
  }
}
