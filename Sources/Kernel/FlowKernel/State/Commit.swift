import FlowLanguage
import LuaRuntime
import Platform

/// The record of one passed dispatch.
public struct Commit: Sendable {
  private struct Facts {
    let revision: Int
    let action: String
    /// The revision of the cause; -1 if there is none.
    let cause: Int
    let microseconds: Int
    let hostBegan: Int
    let writesLength: Int
    let payloadLength: Int32
    /// The length in bytes of the user's name, which follows the payload; -1 if no user was given.
    let byLength: Int32
    let isPostponed: Bool
    /// The secrets, which are not shown.
    let secrets: Secrets?
  }

  /// The storage, one object that the history, the outcome and observers share.
  ///
  /// The facts are followed by the encoded writes, the encoded payload, and the user's name.
  private final class Record: ManagedBuffer<Facts, UInt8> {}

  /// `nonisolated(unsafe)` is safe because everything is written in `init`, before the object is shared, and never
  /// again.
  nonisolated(unsafe) private let record: Record

  /// Creates a commit with copies of the encoded writes and payload; a payload of `{}` has no bytes.
  ///
  /// - Parameters:
  ///   - hostBegan: the time of the wall clock when the host began, in microseconds since 1970.
  ///   - by: the user who dispatched the action, if that was given.
  package init(
    revision: Int, action: String, cause: Int?, microseconds: Int, hostBegan: Int,
    writes: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, secrets: Secrets?,
    by: String? = nil, isPostponed: Bool = false
  ) {
    let nameLength = by?.utf8.count ?? 0
    let buffer = Record.create(minimumCapacity: writes.count + payload.count + nameLength) { _ in
      Facts(
        revision: revision, action: action, cause: cause ?? -1, microseconds: microseconds,
        hostBegan: hostBegan, writesLength: writes.count, payloadLength: Int32(payload.count),
        byLength: by == nil ? -1 : Int32(nameLength), isPostponed: isPostponed,
        secrets: secrets)
    }
    buffer.withUnsafeMutablePointerToElements { bytes in
      UnsafeMutableRawBufferPointer(start: bytes, count: writes.count).copyMemory(from: writes)
      if !payload.isEmpty {
        UnsafeMutableRawBufferPointer(start: bytes + writes.count, count: payload.count)
          .copyMemory(from: payload)
      }
      guard var by else { return }
      by.withUTF8 {
        UnsafeMutableRawBufferPointer(
          start: bytes + writes.count + payload.count, count: nameLength
        ).copyMemory(from: UnsafeRawBufferPointer($0))
      }
    }
    record = unsafeDowncast(buffer, to: Record.self)  // `create` was called on `Record`
  }

  /// Reads a fact through a pointer, because each access to the buffer's `header` would be checked for exclusivity.
  @inline(__always)
  private func read<Fact>(_ fact: (UnsafeMutablePointer<Facts>) -> Fact) -> Fact {
    record.withUnsafeMutablePointerToHeader(fact)
  }

  /// The number of commits up to and including this one.
  public var revision: Int { read { $0.pointee.revision } }
  /// The action's name.
  public var action: String { read { $0.pointee.action } }
  /// The revision of the commit whose effect or timer dispatched the action; nil for a dispatch from outside.
  public var cause: Int? {
    let cause = read { $0.pointee.cause }
    return cause < 0 ? nil : cause
  }
  /// True if a state postponed the action, which is dispatched again once that state is left.
  ///
  /// No reducer and no effect of the action has run yet. The commit of the later dispatch has the cause of this one, or
  /// this one as its cause if it has none.
  public var isPostponed: Bool { read { $0.pointee.isPostponed } }
  /// The time at which the action was taken from the queue, in whole microseconds since the host began.
  package var microseconds: Int { read { $0.pointee.microseconds } }
  /// The patch: the net changes that the action made, computed from the writes at each access.
  public var changes: Patch { writes.net }

  /// Every write that the action made, in order; undo takes them back one by one.
  ///
  /// Consecutive writes to one place are one.
  public var writes: Patch {
    let (length, secrets) = read { ($0.pointee.writesLength, $0.pointee.secrets) }
    return record.withUnsafeMutablePointerToElements { bytes in
      Patch(
        bytes: CompactBytes(UnsafeRawBufferPointer(start: bytes, count: length)), secrets: secrets)
    }
  }

  /// The size of the encoded writes, in bytes.
  var writesSize: Int { read { $0.pointee.writesLength } }

  /// Appends the encoded writes.
  func appendWrites(to bytes: inout [UInt8]) {
    let length = writesSize
    record.withUnsafeMutablePointerToElements {
      bytes.append(contentsOf: UnsafeBufferPointer(start: $0, count: length))
    }
  }

  /// Calls a function with the encoded writes and payload; a payload of `{}` has no bytes.
  package func withBytes(_ body: (_ writes: UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void)
  {
    let (start, length) = read { ($0.pointee.writesLength, Int($0.pointee.payloadLength)) }
    record.withUnsafeMutablePointerToElements { bytes in
      body(
        UnsafeRawBufferPointer(start: bytes, count: start),
        UnsafeRawBufferPointer(start: bytes + start, count: length))
    }
  }

  /// The action's payload, checked, with defaults filled in.
  public var payload: Value {
    let (start, length) = read { ($0.pointee.writesLength, Int($0.pointee.payloadLength)) }
    if length == 0 { return [:] }
    return record.withUnsafeMutablePointerToElements { bytes in
      var reader = ValueReader(UnsafeRawBufferPointer(start: bytes + start, count: length))
      // This never fails, because this library has written the bytes.
      return (try? reader.value()) ?? [:]
    }
  }

  /// The user who dispatched the action, as given to `dispatch(_:_:by:)`.
  ///
  /// It is nil if none was given, and for an action that an effect or a timer dispatched.
  public var dispatchedBy: String? {
    let (start, length) = read {
      ($0.pointee.writesLength + Int($0.pointee.payloadLength), Int($0.pointee.byLength))
    }
    if length < 0 { return nil }
    return record.withUnsafeMutablePointerToElements { bytes in
      String(decoding: UnsafeBufferPointer(start: bytes + start, count: length), as: UTF8.self)
    }
  }

  /// The approximate size of the commit, in bytes.
  package var size: Int {
    read {
      160 + $0.pointee.writesLength + Int($0.pointee.payloadLength)
        + max(0, Int($0.pointee.byLength))
    }
  }

  /// The time at which the action was taken from the queue, in seconds since the host began.
  package var time: Double { EngineTime.seconds(microseconds) }

  /// The time at which the action was taken from the queue, since the host began or the case was born.
  public var elapsed: Duration { .microseconds(microseconds) }

  /// The time at which the action was taken from the queue, by the wall clock.
  ///
  /// It is the time of the wall clock when the host began, plus the time since then by the host's own clock. So it
  /// neither jumps nor goes back when the wall clock is set, and on a virtual clock it is the virtual time.
  public var wallTime: Date {
    Date(microseconds: read { $0.pointee.hostBegan + $0.pointee.microseconds })
  }
}

extension Commit: CustomStringConvertible {
  /// The commit in words, such as `coin passed (#1)` or `pay is postponed (#2)`.
  public var description: String {
    "\(action) \(isPostponed ? "is postponed" : "passed") (#\(revision))"
  }
}
