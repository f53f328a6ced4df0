#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread of the operating system, for long work beside everything else.
///
/// Swift's tasks would start three threads, for which a command that takes milliseconds has to wait. The thread
/// receives no signals.
package enum SystemThread {
  /// The number of threads that can run at the same time: the processors in use by the system.
  package static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a thread; does nothing if the system has no more threads.
  ///
  /// - Returns: true if the thread runs.
  @discardableResult
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(
        &thread, nil,
        {
          SystemThread.run($0)
          return nil
        }, work)
    #else
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        {
          if let work = $0 { SystemThread.run(work) }
          return nil
        }, work)
    #endif
    guard code == 0 else {
      Unmanaged<Work>.fromOpaque(work).release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
  }

  private static func run(_ work: UnsafeMutableRawPointer) {
    Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
  }
}
