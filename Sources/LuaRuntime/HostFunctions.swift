import CLatch

/// The Swift closures that Lua calls by number.
final class HostFunctions {
  /// Set once, right after the VM is opened; the VM outlives every call.
  var latch: OpaquePointer?
  private var bodies: [([Value]) throws -> [Value]] = []

  func add(_ body: @escaping ([Value]) throws -> [Value]) -> Int32 {
    bodies.append(body)
    return Int32(bodies.count - 1)
  }

  func answer(_ number: Int32, _ arguments: UnsafeRawBufferPointer) -> latch_reply_kind {
    guard bodies.indices.contains(Int(number)) else { return fail("no such host function") }
    do {
      var reader = ValueReader(arguments)
      let results = try bodies[Int(number)](reader.values())
      if results.isEmpty { return reply([], LATCH_REPLY) }
      var writer = ValueWriter()
      for result in results { writer.write(result) }
      return reply(writer.bytes, LATCH_REPLY)
    } catch let error as ScriptError {
      return fail(error.message)
    } catch {
      return fail(String(describing: error))
    }
  }

  private func fail(_ message: String) -> latch_reply_kind {
    reply(Array(message.utf8), LATCH_REPLY_ERROR)
  }

  private func reply(_ bytes: [UInt8], _ kind: latch_reply_kind) -> latch_reply_kind {
    bytes.withUnsafeBufferPointer { latch_reply(latch, $0.baseAddress, $0.count) }
    return kind
  }
}

/// What C calls. A global function, so that no actor's isolation is checked on the way in.
func answerHostFunction(
  context: UnsafeMutableRawPointer?, function: Int32, arguments: UnsafePointer<UInt8>?, length: Int
) -> latch_reply_kind {
  guard let context else { return LATCH_REPLY_ERROR }
  return Unmanaged<HostFunctions>.fromOpaque(context).takeUnretainedValue()
    .answer(function, UnsafeRawBufferPointer(start: arguments, count: length))
}
