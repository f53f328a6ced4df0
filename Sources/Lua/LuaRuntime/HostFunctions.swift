import CLatch

/// What a flow's library asks the host; each has the same number in every VM.
package enum LibraryFunction: Int32, Sendable {
  case print, loadModule, now, random, enqueue, schedule, cancel, may
  case gatekeeperMayPass, gatekeeperHolder
  case scopeKey, scopeName, scopeParent, scopeCheck, scopeLevels, scopeHas, scopeCall, scopeUnlock
  case scopeClose, scopeLeave, scopeDefer, scopeMissing, view
  case namedState, misfit, born, attempt, by
  case document, enteredBy, revised
}

/// An error of the host that may be none of the script's own faults.
package protocol HostRefusal: Error {
  /// True if the script could not know better: a capability has thrown, a scope is closed or locked.
  var isRaised: Bool { get }
}

/// The Swift closures that Lua calls by number.
final class HostFunctions {
  typealias Body = ([Value]) throws -> HostAnswer

  /// Set once, right after the VM is opened; the VM outlives every call.
  var latch: OpaquePointer?
  /// What the arguments of one call may take outside of Lua, in bytes.
  var mostPerValue = Int.max
  /// The functions that know by types whether a table is a map: they ask for `unnamedMaps`.
  private var readByType: Set<Int32> = HostFunctions.ofLibraryByType
  /// The places in the arguments of the latest call of maps that nobody calls so.
  ///
  /// Each path begins with the number of its argument, from 1 on.
  private(set) var unnamedMaps: [[ValueKey]] = []
  /// Answers those functions of the library that were not provided one by one.
  var library: ((LibraryFunction, [Value]) throws -> HostAnswer)?
  /// The functions of the library that were: few.
  private var own: [(number: Int32, body: Body)] = []
  /// All others; their numbers follow on those of the library.
  private var others: [Body] = []

  /// Whatever a call of a capability ends with is recorded as its answer, and told again as that.
  private static let call = LibraryFunction.scopeCall.rawValue
  private static let first = Int32(LATCH_HOST_FUNCTIONS)

  /// The functions of the library that are given payloads.
  private static let ofLibraryByType = Set(
    [LibraryFunction.enqueue, .schedule, .cancel, .may].map(\.rawValue))

  /// Has a function read tables by the types that it knows.
  func readByType(_ number: Int32) { readByType.insert(number) }

  /// Provides one that is not the library's, and gives its number.
  func add(_ body: @escaping Body) -> Int32 {
    others.append(body)
    return HostFunctions.first + Int32(others.count - 1)
  }

  func replace(_ number: Int32, by body: @escaping Body) {
    if number >= HostFunctions.first {
      others[Int(number - HostFunctions.first)] = body
    } else {
      own.removeAll { $0.number == number }
      own.append((number, body))
    }
  }

  /// Keeps the first numbers and lets go of what stood behind all of them.
  func forgetBodies(keeping count: Int) {
    library = nil
    own = []
    others = Array(repeating: { _ in throw HostFunctions.Unanswered() }, count: count)
  }

  /// Has only these functions answer while the body runs.
  ///
  /// Gives whether scripts asked for another one too, which then nobody answered.
  func answering<Result, Failure: Error>(
    only bodies: [(number: Int32, body: Body)], while body: () throws(Failure) -> Result
  ) throws(Failure) -> (result: Result, asksForMore: Bool) {
    let before = (library, own, others)
    defer { (library, own, others) = before }
    var asksForMore = false
    let refuse: Body = { _ in
      asksForMore = true
      throw Unanswered()
    }
    (library, own, others) = (
      { _, arguments in try refuse(arguments) }, [], others.map { _ in refuse }
    )
    for (number, body) in bodies { replace(number, by: body) }
    return (try body(), asksForMore)
  }

  private struct Unanswered: Error, CustomStringConvertible {
    let description = "no host answers"
  }

  private func call(_ number: Int32, _ arguments: [Value]) throws -> HostAnswer {
    let index = Int(number - HostFunctions.first)
    if others.indices.contains(index) { return try others[index](arguments) }
    if let body = own.first(where: { $0.number == number })?.body { return try body(arguments) }
    guard let library, let function = LibraryFunction(rawValue: number) else {
      throw HostFunctions.Unanswered()
    }
    return try library(function, arguments)
  }

  func answer(_ number: Int32, _ arguments: UnsafeRawBufferPointer) -> latch_reply_kind {
    do {
      var reader = ValueReader(arguments, most: mostPerValue)
      let values = try reader.values()
      let maps = reader.unnamedMaps
      if let map = maps.first, !readByType.contains(number) { throw ListWithHoles(at: map) }
      if !maps.isEmpty || !unnamedMaps.isEmpty { unnamedMaps = maps }
      switch try call(number, values) {
      case .values(let results): return reply(bytes(of: results), LATCH_REPLY)
      case .wait(let request): return reply(bytes(of: request), LATCH_REPLY_WAIT)
      case .raise(let value): return reply(bytes(of: [value]), LATCH_REPLY_VALUE)
      }
    } catch let error as any HostRefusal where error.isRaised || number == HostFunctions.call {
      return reply(Array(String(describing: error).utf8), LATCH_REPLY_RAISED)
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

/// A table whose integer keys are not 1 to n, where no type says that it is a map.
package struct ListWithHoles: Error, CustomStringConvertible {
  package let description: String

  /// - Parameter path: the keys that lead there, behind the number of the value.
  package init(at path: [ValueKey]) {
    var text = ""
    for key in path.dropFirst() {
      switch key {
      case .field(let name):
        text += Value.isName(name) ? (text.isEmpty ? name : ".\(name)") : Value.key(name)
      case .index(let index): text += "[\(index)]"
      }
    }
    description =
      "\(text.isEmpty ? "the value" : text): \(String(cString: latch_list_with_holes()))"
  }
}
