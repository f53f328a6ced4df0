import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Synchronization

/// The flows of a run, each read, checked and compiled once, and VMs in which they can be played.
///
/// Within a run a flow is what it was when it was first played, however often it is played.
package final class FlowCache: Sendable {
  /// What a flow is known by: its file, and how messages name that.
  struct Key: Hashable, Sendable {
    let path: String
    let name: String
  }

  private let loaded = Mutex<[Key: Result<LoadedFlow, any Error>]>([:])
  private let idle = Mutex(IdleVMs())

  package init() {}

  /// A VM for a scenario of the flow in a file.
  ///
  /// Whoever has used it gives it back by `giveBack`, or drops it. The settings are the same for all
  /// flows of a cache.
  func vm(_ path: String, named name: String, settings: PlaySettings) throws -> PreparedVM {
    let key = Key(path: path, name: name)
    let (waiting, isFirst) = idle.withLock { ($0.take(key), $0.isFirst(key)) }
    if let waiting { return waiting.vm }
    let flow = try flow(path, named: name, limits: settings.limits)
    // One that is played once needs no image.
    return try PreparedVM(flow, from: key, settings: settings, keepsImage: !isFirst)
  }

  /// Keeps a VM, if it can be made fresh, for the next scenario of its flow.
  func giveBack(_ vm: PreparedVM) {
    vm.forgetFile()
    guard vm.goBack() else { return }
    idle.withLock { $0.keep(IdleVM(vm: vm)) }
  }

  /// The flow of a file, loaded now if it was not before.
  func flow(_ path: String, named name: String, limits: Limits) throws -> LoadedFlow {
    let key = Key(path: path, name: name)
    if let known = loaded.withLock({ $0[key] }) { return try known.get() }
    let flow = Result {
      try LoadedFlow(
        FlowSources(file: URL(filePath: path), displayName: name), limits: limits,
        log: ScriptLog { _ in })
    }
    loaded.withLock { $0[key] = flow }
    return try flow.get()
  }

  /// The flow of a scenario file and the modules that it requires, as messages name them.
  package func files(of file: ScenarioFile, limits: Limits) throws -> [String] {
    try flow(file.flow, named: file.flowName, limits: limits).files
  }
}

/// A VM that nobody uses.
///
/// Sendable, since it is reachable from the cache alone: whoever takes it out, under the cache's lock,
/// is the only one to have it.
private struct IdleVM: @unchecked Sendable {
  let vm: PreparedVM
}

/// The VMs that wait for a scenario, by their flows.
private struct IdleVMs: Sendable {
  /// How many are kept at most.
  private static let most = 16

  private var waiting: [FlowCache.Key: [IdleVM]] = [:]
  private var count = 0
  private var seen: Set<FlowCache.Key> = []

  mutating func take(_ key: FlowCache.Key) -> IdleVM? {
    guard let vm = waiting[key]?.popLast() else { return nil }
    count -= 1
    return vm
  }

  mutating func keep(_ vm: IdleVM) {
    if count == IdleVMs.most {
      waiting = [:]
      count = 0
    }
    waiting[vm.vm.key, default: []].append(vm)
    count += 1
  }

  /// Whether nobody has asked for this flow before.
  mutating func isFirst(_ key: FlowCache.Key) -> Bool { seen.insert(key).inserted }
}
