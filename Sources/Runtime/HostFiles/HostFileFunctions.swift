import FlowLanguage
import LuaRuntime
import Platform
import Synchronization

/// The functions among the options of a host file's capabilities, which run on threads of their own.
///
/// They run in up to four VMs. Each is made at first use, by running the texts from which the file was loaded: a file that
/// has changed since then is not read.
final class HostFileFunctions: Sendable {
  /// An error of a function.
  enum Failure: Error, Sendable {
    /// The function has called `fail`.
    case failed(String, isRetryable: Bool)
    /// The function has a fault, which this text names with its place.
    case broken(String)
  }

  private static let most = 4

  private let sources: FlowSources
  private let limits: Limits
  private let texts: HostTexts
  private let threads = WorkerThreads(limit: HostFileFunctions.most)
  /// The VMs that nobody uses; there are never more than threads.
  private let idle = Mutex<[HostFileVM]>([])

  init(_ sources: FlowSources, limits: Limits, texts: HostTexts) {
    (self.sources, self.limits, self.texts) = (sources, limits, texts)
  }

  /// Runs a function, and returns its result.
  func run(
    _ option: String, of capability: HostCapability, _ arguments: [Value]
  ) async throws(Failure) -> Value {
    let result = await Task.detached(executorPreference: threads) { [self] in
      runNow(option, of: capability, arguments)
    }.value
    return try result.get()
  }

  private func runNow(
    _ option: String, of capability: HostCapability, _ arguments: [Value]
  ) -> Result<Value, Failure> {
    let vm: HostFileVM
    do {
      vm = try idle.withLock { $0.popLast() } ?? HostFileVM(sources, limits: limits, texts: texts)
    } catch {
      return .failure(.broken("the host file could not be loaded again: \(error)"))
    }
    defer { idle.withLock { $0.append(vm) } }
    do throws(ScriptError) {
      return .success(try vm.run(option, of: capability.title, arguments))
    } catch {
      return .failure(HostFileFunctions.failure(error, option, capability))
    }
  }

  private static func failure(
    _ error: ScriptError, _ option: String, _ capability: HostCapability
  ) -> Failure {
    if let message = error.value?["capability_failure"]?.stringValue {
      return .failed(message, isRetryable: error.value?["retryable"] == true)
    }
    var error = error
    error.take(capability.place)
    return .broken("\(option) of \(capability.name): \(error.summary)")
  }
}
