import CLatch

/// The host functions that a flow's library calls.
///
/// Each has the same number in every VM.
package enum LibraryFunction: Int32, Sendable {
  case print, loadModule, now, random, enqueue, schedule, cancel, may
  case gatekeeperMayPass, gatekeeperHolder
  case scopeKey, scopeName, scopeParent, scopeCheck, scopeLevels, scopeHas, scopeCall, scopeUnlock
  case scopeClose, scopeLeave, scopeDefer, scopeMissing, view
  case namedState, misfit, born, attempt, by
  case document, enteredBy, revised
}

/// An error of the host for which the script need not be at fault.
package protocol HostRefusal: Error {
  /// True if the script could not have avoided the error: a capability threw, or a scope is closed or locked.
  var isRaised: Bool { get }
}

/// The Swift closures that Lua calls by number.
final class HostFunctions {
  typealias Body = ([Value]) throws -> HostAnswer

  /// Set once, right after the VM is opened; the VM outlives every call.
  var latch: OpaquePointer?
  /// The most bytes that one argument list may take outside of Lua.
  var mostPerValue = Int.max
  /// The numbers of the functions that use types to decide if a table is a map.
  ///
  /// Such a function reads `unnamedMaps`; for all others an unnamed map is an error.
  private var readByType: Set<Int32> = HostFunctions.ofLibraryByType
  /// The paths, in the arguments of the latest call, to maps that the script did not mark as maps.
  ///
  /// Each path begins with the number of its argument, counted from 1.
  private(set) var unnamedMaps: [[ValueKey]] = []
  /// Answers the library functions that have no closure of their own.
  var library: ((LibraryFunction, [Value]) throws -> HostAnswer)?
  /// The closures of single library functions, which are few.
  private var own: [(number: Int32, body: Body)] = []
  /// The closures of all other functions, whose numbers follow those of the library.
  private var others: [Body] = []

  /// The function that calls a capability: any error of such a call is raised in the script and recorded as its
  /// answer.
  private static let call = LibraryFunction.scopeCall.rawValue
  private static let first = Int32(LATCH_HOST_FUNCTIONS)

  /// The library functions that receive payloads.
  private static let ofLibraryByType = Set(
    [LibraryFunction.enqueue, .schedule, .cancel, .may].map(\.rawValue))

  /// Marks a function as one that uses types to decide if a table is a map.
  func readByType(_ number: Int32) { readByType.insert(number) }

  /// Adds a function that is not part of the library, and returns its number.
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

  /// Removes all closures, but keeps the first `count` numbers in use.
  func forgetBodies(keeping count: Int) {
    library = nil
    own = []
    others = Array(repeating: { _ in throw HostFunctions.Unanswered() }, count: count)
  }

  /// Runs a body while only the given functions answer.
  ///
  /// Any other call of the host fails. `asksForMore` is true if a script made such a call.
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
    let description = "there is no host to answer"
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

/// The callback that C calls for each host function.
///
/// It is a global function, so that no actor isolation is checked on entry.
func answerHostFunction(
  context: UnsafeMutableRawPointer?, function: Int32, arguments: UnsafePointer<UInt8>?, length: Int
) -> latch_reply_kind {
  guard let context else { return LATCH_REPLY_ERROR }
  return Unmanaged<HostFunctions>.fromOpaque(context).takeUnretainedValue()
    .answer(function, UnsafeRawBufferPointer(start: arguments, count: length))
}

/// An error for a table whose integer keys are not 1 to n, and which no type declares to be a map.
package struct ListWithHoles: Error, CustomStringConvertible {
  package let description: String

  /// - Parameter path: the number of the value, then the keys from it down to the table.
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
