import FlowLanguage
import LuaRuntime
import Platform

/// The record of one passed dispatch.
public struct Commit: Sendable {
  private struct Facts {
    let revision: Int
    let action: String
    /// -1 where there is none.
    let cause: Int
    let microseconds: Int
    let hostBegan: Int
    let patchLength: Int
    let payloadLength: Int32
    /// How long the name is of who offered the action, which stands behind the payload; -1 where nobody said.
    let byLength: Int32
    let isPostponed: Bool
    /// What of it is not shown.
    let secrets: Secrets?
  }

  /// One object, which the history, the outcome and whoever is told share; the encoded patch lies behind
  /// the facts, and the encoded payload behind that.
  private final class Record: ManagedBuffer<Facts, UInt8> {}

  /// `nonisolated(unsafe)`: all of it is written in `init`, before anybody else can have it, and never
  /// again.
  nonisolated(unsafe) private let record: Record

  /// Copies the encoded patch and payload; that of `{}` is empty.
  ///
  /// - Parameters:
  ///   - hostBegan: what the wall clock showed then, in microseconds since 1970.
  ///   - by: who offered the action, if that was said.
  package init(
    revision: Int, action: String, cause: Int?, microseconds: Int, hostBegan: Int,
    patch: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, secrets: Secrets?,
    by: String? = nil, isPostponed: Bool = false
  ) {
    let nameLength = by?.utf8.count ?? 0
    let buffer = Record.create(minimumCapacity: patch.count + payload.count + nameLength) { _ in
      Facts(
        revision: revision, action: action, cause: cause ?? -1, microseconds: microseconds,
        hostBegan: hostBegan, patchLength: patch.count, payloadLength: Int32(payload.count),
        byLength: by == nil ? -1 : Int32(nameLength), isPostponed: isPostponed,
        secrets: secrets)
    }
    buffer.withUnsafeMutablePointerToElements { bytes in
      UnsafeMutableRawBufferPointer(start: bytes, count: patch.count).copyMemory(from: patch)
      if !payload.isEmpty {
        UnsafeMutableRawBufferPointer(start: bytes + patch.count, count: payload.count)
          .copyMemory(from: payload)
      }
      guard var by else { return }
      by.withUTF8 {
        UnsafeMutableRawBufferPointer(
          start: bytes + patch.count + payload.count, count: nameLength
        ).copyMemory(from: UnsafeRawBufferPointer($0))
      }
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
  public var cause: Int? {
    let cause = read { $0.pointee.cause }
    return cause < 0 ? nil : cause
  }
  /// True if a state postpones the action: it waits until that state is left, and is dispatched again then.
  ///
  /// So far no reducer and no effect of it has run. The commit that it makes then has this one as its cause.
  public var isPostponed: Bool { read { $0.pointee.isPostponed } }
  /// When the action was taken from the queue, in whole microseconds since the host began.
  public var microseconds: Int { read { $0.pointee.microseconds } }
  /// What changed.
  public var patch: Patch {
    let (length, secrets) = read { ($0.pointee.patchLength, $0.pointee.secrets) }
    return record.withUnsafeMutablePointerToElements { bytes in
      Patch(
        bytes: CompactBytes(UnsafeRawBufferPointer(start: bytes, count: length)), secrets: secrets)
    }
  }

  /// The bytes of the encoded patch.
  var patchSize: Int { read { $0.pointee.patchLength } }

  /// Appends the encoded patch.
  func appendPatch(to bytes: inout [UInt8]) {
    let length = patchSize
    record.withUnsafeMutablePointerToElements {
      bytes.append(contentsOf: UnsafeBufferPointer(start: $0, count: length))
    }
  }

  /// Gives the encoded patch and payload; that of `{}` is empty.
  package func withBytes(_ body: (_ patch: UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void)
  {
    let (start, length) = read { ($0.pointee.patchLength, Int($0.pointee.payloadLength)) }
    record.withUnsafeMutablePointerToElements { bytes in
      body(
        UnsafeRawBufferPointer(start: bytes, count: start),
        UnsafeRawBufferPointer(start: bytes + start, count: length))
    }
  }

  /// The action's payload, checked, with defaults filled in.
  public var payload: Value {
    let (start, length) = read { ($0.pointee.patchLength, Int($0.pointee.payloadLength)) }
    if length == 0 { return [:] }
    return record.withUnsafeMutablePointerToElements { bytes in
      var reader = ValueReader(UnsafeRawBufferPointer(start: bytes + start, count: length))
      // What this library has written it can read.
      return (try? reader.value()) ?? [:]
    }
  }

  /// Who offered the action, as the dispatch said (`dispatch(_:_:by:)`); nil where it did not, and for what an effect
  /// or a timer dispatched.
  public var dispatchedBy: String? {
    let (start, length) = read {
      ($0.pointee.patchLength + Int($0.pointee.payloadLength), Int($0.pointee.byLength))
    }
    if length < 0 { return nil }
    return record.withUnsafeMutablePointerToElements { bytes in
      String(decoding: UnsafeBufferPointer(start: bytes + start, count: length), as: UTF8.self)
    }
  }

  /// The bytes that it takes, about.
  package var size: Int {
    read {
      160 + $0.pointee.patchLength + Int($0.pointee.payloadLength)
        + max(0, Int($0.pointee.byLength))
    }
  }

  /// When the action was taken from the queue, in seconds since the host began.
  public var time: Double { EngineTime.seconds(microseconds) }

  /// When the action was taken from the queue, since the host began.
  public var elapsed: Duration { .microseconds(microseconds) }

  /// When the action was taken from the queue, by the wall clock.
  ///
  /// It is what the wall clock showed when the host began, and the time since then by the host's own
  /// clock: it neither jumps nor goes back when the wall clock is set, and on a virtual clock it is the
  /// virtual time.
  public var wallTime: Date {
    Date(
      timeIntervalSince1970: EngineTime.seconds(
        read { $0.pointee.hostBegan + $0.pointee.microseconds }))
  }
}

extension Commit: CustomStringConvertible {
  /// `coin passed (#1)`, `pay is postponed (#2)`.
  public var description: String {
    "\(action) \(isPostponed ? "is postponed" : "passed") (#\(revision))"
  }
}
