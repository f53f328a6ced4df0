import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Kiosk {
  /// Reloads the flow whenever the signal comes, and gives each time what came of it, for as long as
  /// somebody listens.
  public func reloads(on number: Int32) -> AsyncStream<String> {
    AsyncStream { answers in
      // A source is told of a signal besides what it does by itself, which would be to end the program.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [self] in answers.yield(reload()) }
      source.activate()
      // Whoever ends the stream may be on another thread.
      let watched = Mutex(source)
      answers.onTermination = { _ in watched.withLock { $0.cancel() } }
    }
  }
}
