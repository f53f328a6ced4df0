import Foundation
import StateBlocks

/// A value behind a lock that the thread sanitizer sees, as it does not see `Synchronization.Mutex`
/// on Linux.
///
/// `@unchecked Sendable`: `value` is read and written only under `lock`.
final class Guarded<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// A list that any thread may append to.
final class Log<Element: Sendable>: Sendable {
  private let elements = Guarded<[Element]>([])

  func append(_ element: Element) { elements.withLock { $0.append(element) } }
  var all: [Element] { elements.withLock { $0 } }
}

/// An error with a name.
struct Oops: Error, Equatable, CustomStringConvertible {
  let description: String
  init(_ description: String = "oops") { self.description = description }
}

/// Throws if a condition does not hold.
///
/// Use it on threads other than the test's, where `#expect` would not know which test it belongs
/// to.
func check(_ condition: Bool, _ what: String) throws {
  if !condition { throw Oops(what) }
}

/// Runs a closure on several threads that start together, waits for them, and rethrows the first
/// error.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let gate = Meeting(count)
  let errors = Log<any Error>()
  let done = DispatchGroup()
  for index in 0..<count {
    done.enter()
    let thread = Thread {
      gate.wait()
      do { try body(index) } catch { errors.append(error) }
      done.leave()
    }
    thread.start()
  }
  done.wait()
  if let error = errors.all.first { throw error }
}

/// A barrier at which several threads wait for each other, once.
final class Meeting: Sendable {
  private let group = DispatchGroup()
  private let missing: Guarded<Int>

  init(_ count: Int) {
    missing = Guarded(count)
    group.enter()
  }

  func wait() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { group.leave() } else { group.wait() }
  }
}

/// A signal from one thread to another.
final class Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func send() { semaphore.signal() }
  func wait() { semaphore.wait() }
}
