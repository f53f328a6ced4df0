import FlowLanguage
import LuaRuntime
import Platform
import StateBlocks

/// The functions of a host file, such as `run` of a webhook.
///
/// They run in up to four VMs of the file, on threads of their own. A VM is made when it is needed first, from the texts
/// that the file had when it was loaded. After each call it goes back to its state after loading, so that functions
/// remember nothing.
package final class HostFunctions: Sendable {
  /// Too many calls wait for a VM.
  package struct Busy: Error, CustomStringConvertible {
    package let description = "the functions of the host file are busy"
  }

  private struct State {
    var free: [HostFileVM] = []
    /// The number of calls that run.
    var running = 0
    /// The calls that wait for their turn, each of which gets true once it has come.
    var waiting: [Promise<Bool>] = []
  }

  /// The most calls that run at once.
  private let most: Int
  private let threads: WorkerThreads
  private let state = Mutex(State())
  private let sources: FlowSources
  private let limits: Limits
  private let texts: HostTexts

  init(_ sources: FlowSources, limits: Limits, texts: HostTexts, most: Int = 4) {
    (self.sources, self.limits, self.texts) = (sources, limits, texts)
    (self.most, threads) = (most, WorkerThreads(limit: max(1, most)))
  }

  /// Calls a function.
  ///
  /// - Parameter patience: the longest time for which the call waits for its turn; nil if it waits for as long as it
  ///   takes.
  /// - Returns: its first result, if it has one.
  /// - Throws: `ScriptError` for an error of the function, or for one that has reached a limit; `Busy` if no VM is free
  ///   in time; `CancellationError`.
  package func call(
    _ function: HostFunction, _ arguments: [Value], patience: Duration? = nil
  ) async throws -> [Value] {
    let vm = try await takeTurn(patience)
    return try await Task.detached(executorPreference: threads) {
      try self.run(function, arguments, in: vm)
    }.value
  }

  private func run(
    _ function: HostFunction, _ arguments: [Value], in free: HostFileVM?
  ) throws -> [Value] {
    let vm: HostFileVM
    do {
      vm = try free ?? HostFileVM(sources, limits: limits, texts: texts, isCalled: true)
    } catch {
      endTurn(nil)
      throw error
    }
    let result = Result { try vm.call(function, arguments) }
    endTurn(vm.reset() ? vm : nil)
    return try result.get()
  }

  // MARK: Turns

  /// Waits until fewer calls run than may at once.
  ///
  /// - Returns: a free VM; nil if one has to be made.
  private func takeTurn(_ patience: Duration?) async throws -> HostFileVM? {
    let turn = Promise<Bool>()
    let isFree = state.withLock { state in
      guard state.running >= most else {
        state.running += 1
        return true
      }
      state.waiting.append(turn)
      return false
    }
    if !isFree { try await wait(for: turn, patience) }
    return state.withLock { $0.free.popLast() }
  }

  private func wait(for turn: Promise<Bool>, _ patience: Duration?) async throws {
    let timer = patience.map { patience in
      Task {
        try? await Task.sleep(for: patience)
        turn.fulfill(false)
      }
    }
    let hasCome = await withTaskCancellationHandler {
      await turn.value
    } onCancel: {
      turn.fulfill(false)
    }
    timer?.cancel()
    if hasCome { return }
    state.withLock { state in state.waiting.removeAll { $0 === turn } }
    try Task.checkCancellation()
    throw Busy()
  }

  /// Ends a call, and gives its turn to the next one that waits.
  private func endTurn(_ vm: HostFileVM?) {
    if let vm { state.withLock { $0.free.append(vm) } }
    while true {
      let next = state.withLock { state -> Promise<Bool>? in
        if state.waiting.isEmpty {
          state.running -= 1
          return nil
        }
        return state.waiting.removeFirst()
      }
      // One that has waited for too long does not take it.
      guard let next, !next.fulfill(true) else { return }
    }
  }
}
