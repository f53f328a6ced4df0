import Foundation
import Platform

/// A thread with the least stack that `LimitsAndSecurity.md` asks for, under the default limits.
enum LeastStack {
  static let bytes = 256 << 10

  private struct NotDone: Error {}

  /// The address sanitizer makes frames larger.
  private static let factor = dlsym(nil, "__asan_init") == nil ? 1 : 4

  /// Does the work on such a thread, and waits until it is done.
  static func run<Answer: Sendable>(
    bytes: Int = bytes, _ body: @escaping @Sendable () throws -> Answer
  ) throws -> Answer {
    let answer = Mutex<Result<Answer, any Error>>(.failure(NotDone()))
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let result = Result { try body() }
      answer.withLock { $0 = result }
      done.signal()
    }
    thread.stackSize = bytes * factor
    thread.start()
    done.wait()
    return try answer.withLock { try $0.get() }
  }
}
