import LuaRuntime

/// The record of one passed dispatch.
public struct Transition: Sendable {
  private struct Facts {
    let revision: Int
    let action: String
    let cause: Int?
    let microseconds: Int
    let patchLength: Int
  }

  /// One object, which the history, the outcome and whoever is told share; the encoded patch lies behind
  /// the facts.
  private final class Record: ManagedBuffer<Facts, UInt8> {}

  /// `nonisolated(unsafe)`: all of it is written in `init`, before anybody else can have it, and never
  /// again.
  nonisolated(unsafe) private let record: Record

  /// Copies the encoded patch.
  init(
    revision: Int, action: String, cause: Int?, microseconds: Int, patch: UnsafeRawBufferPointer
  ) {
    let buffer = Record.create(minimumCapacity: patch.count) { _ in
      Facts(
        revision: revision, action: action, cause: cause, microseconds: microseconds,
        patchLength: patch.count)
    }
    buffer.withUnsafeMutablePointerToElements { bytes in
      UnsafeMutableRawBufferPointer(start: bytes, count: patch.count).copyMemory(from: patch)
    }
    record = unsafeDowncast(buffer, to: Record.self)  // that is what `create` was called on
  }

  /// To read the buffer's `header` would have each access checked for exclusiveness.
  @inline(__always)
  private func read<Fact>(_ fact: (UnsafeMutablePointer<Facts>) -> Fact) -> Fact {
    record.withUnsafeMutablePointerToHeader(fact)
  }

  /// The count of transitions up to and including this one.
  public var revision: Int { read { $0.pointee.revision } }
  /// The action's name.
  public var action: String { read { $0.pointee.action } }
  /// The transition whose effect or timer dispatched the action; nil for a dispatch from outside.
  public var cause: Int? { read { $0.pointee.cause } }
  /// When the action was taken from the queue, in whole microseconds since the host began.
  public var microseconds: Int { read { $0.pointee.microseconds } }
  /// What changed.
  public var patch: Patch {
    let length = read { $0.pointee.patchLength }
    return record.withUnsafeMutablePointerToElements { bytes in
      Patch(bytes: CompactBytes(UnsafeRawBufferPointer(start: bytes, count: length)))
    }
  }

  /// When the action was taken from the queue, in seconds since the host began.
  public var time: Double { Double(microseconds) / 1_000_000 }
}

extension Transition: CustomStringConvertible {
  /// `coin passed (#1)`.
  public var description: String { "\(action) passed (#\(revision))" }
}
