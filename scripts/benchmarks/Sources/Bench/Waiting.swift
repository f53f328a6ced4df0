import Dispatch
import Synchronization

/// Runs asynchronous code, and blocks until it has ended.
public func wait<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
  let over = DispatchSemaphore(value: 0)
  let result = Mutex<Result<T, any Error>?>(nil)
  Task.detached {
    do {
      let value = try await body()
      result.withLock { $0 = .success(value) }
    } catch {
      result.withLock { $0 = .failure(error) }
    }
    over.signal()
  }
  over.wait()
  guard let result = result.withLock({ $0 }) else { throw WrongResult("a task was lost") }
  return try result.get()
}
