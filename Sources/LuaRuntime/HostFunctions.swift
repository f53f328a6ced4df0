import CLatch

/// The Swift closures that Lua calls by number.
final class HostFunctions {
  /// Set once, right after the VM is opened; the VM outlives every call.
  var latch: OpaquePointer?
  private var bodies: [([Value]) throws -> HostAnswer] = []

  func add(_ body: @escaping ([Value]) throws -> HostAnswer) -> Int32 {
    bodies.append(body)
    return Int32(bodies.count - 1)
  }

  var count: Int { bodies.count }

  func replace(_ number: Int32, by body: @escaping ([Value]) throws -> HostAnswer) {
    bodies[Int(number)] = body
  }

  /// Keeps the first numbers and lets go of what stood behind all of them.
  func forgetBodies(keeping count: Int) {
    bodies = Array(repeating: { _ in throw HostFunctions.Unanswered() }, count: count)
  }

  private struct Unanswered: Error, CustomStringConvertible {
    let description = "no host answers"
  }

  func answer(_ number: Int32, _ arguments: UnsafeRawBufferPointer) -> latch_reply_kind {
    guard bodies.indices.contains(Int(number)) else { return fail("no such host function") }
    do {
      var reader = ValueReader(arguments)
      switch try bodies[Int(number)](reader.values()) {
      case .values(let results): return reply(bytes(of: results), LATCH_REPLY)
      case .wait(let request): return reply(bytes(of: request), LATCH_REPLY_WAIT)
      }
    } catch let error as ScriptError {
      return fail(error.message)
    } catch {
      return fail(String(describing: error))
    }
  }

  private func bytes(of values: [Value]) -> [UInt8] {
    if values.isEmpty { return [] }
    var writer = ValueWriter()
    for value in values { writer.write(value) }
    return writer.bytes
  }

  private func fail(_ message: String) -> latch_reply_kind {
    reply(Array(message.utf8), LATCH_REPLY_ERROR)
  }

  private func reply(_ bytes: [UInt8], _ kind: latch_reply_kind) -> latch_reply_kind {
    bytes.withUnsafeBufferPointer { latch_reply(latch, $0.baseAddress, $0.count) }
    return kind
  }
}

/// What C calls.
///
/// A global function, so that no actor's isolation is checked on the way in.
func answerHostFunction(
  context: UnsafeMutableRawPointer?, function: Int32, arguments: UnsafePointer<UInt8>?, length: Int
) -> latch_reply_kind {
  guard let context else { return LATCH_REPLY_ERROR }
  return Unmanaged<HostFunctions>.fromOpaque(context).takeUnretainedValue()
    .answer(function, UnsafeRawBufferPointer(start: arguments, count: length))
}
