import FlowKernel
import FlowLanguage
import HostFiles
import LuaRuntime
import Platform

/// The flows of a run, each read, checked and compiled once, and VMs in which to play them.
///
/// Within a run a flow stays as it was when it was first played.
package final class FlowCache: Sendable {
  /// The key of a flow: the path of its file, and the name of the file in messages.
  struct Key: Hashable, Sendable {
    let path: String
    let name: String
  }

  private let loaded = Mutex<[Key: Result<LoadedFlow, any Error>]>([:])
  private let idle = Mutex(IdleVMs())
  private let live = Mutex<[Key: Result<Capabilities?, any Error>]>([:])
  /// The client of real requests, made for the first flow that has a host file.
  private let liveSender = Mutex<(any HTTPSender)?>(nil)

  package init() {}

  /// Returns a VM for a scenario of the flow in a file.
  ///
  /// The caller returns the VM by `giveBack`, or drops it. The settings must be the same for all flows of a cache.
  func vm(_ path: String, named name: String, settings: PlaySettings) throws -> PreparedVM {
    let key = Key(path: path, name: name)
    let (waiting, isFirst) = idle.withLock { ($0.take(key), $0.isFirst(key)) }
    if let waiting { return waiting.vm }
    let flow = try flow(path, named: name, limits: settings.limits)
    // A VM that is used once needs no image.
    return try PreparedVM(flow, from: key, settings: settings, keepsImage: !isFirst)
  }

  /// Stores a VM for the next scenario of its flow, if the VM can be restored to its fresh state.
  func giveBack(_ vm: PreparedVM) {
    vm.forgetFile()
    guard vm.goBack() else { return }
    idle.withLock { $0.keep(IdleVM(vm: vm)) }
  }

  /// Returns the flow of a file, and loads it if it has not been loaded yet.
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

  /// Returns the capabilities of a flow's host file, which is loaded once; nil if the flow has none.
  ///
  /// The settings must be the same for all flows of a cache.
  func capabilities(
    of path: String, named name: String, _ settings: LiveSettings, limits: Limits
  ) throws -> Capabilities? {
    let key = Key(path: path, name: name)
    if let known = live.withLock({ $0[key] }) { return try known.get() }
    let capabilities = Result { () throws -> Capabilities? in
      guard let url = settings.hostFile.url(for: URL(filePath: path)) else { return nil }
      let flow = try flow(path, named: name, limits: limits)
      let file = try HostFile(url, limits: limits)
      let capabilities = try file.capabilities(
        for: flow.flow, sender: sender(settings),
        runner: settings.allowsCommands ? LiveClient.current?.runner() : nil)
      try file.expectAllowed(commands: settings.allowsCommands)
      return capabilities
    }
    live.withLock { $0[key] = capabilities }
    return try capabilities.get()
  }

  private func sender(_ settings: LiveSettings) -> (any HTTPSender)? {
    liveSender.withLock { sender in
      if sender == nil {
        sender = LiveClient.current?.sender(allowsPrivate: settings.allowsPrivate)
      }
      return sender
    }
  }

  /// Returns the names in messages of the files of a scenario file's flow: the flow itself and the modules it requires.
  package func files(of file: ScenarioFile, limits: Limits) throws -> [String] {
    try flow(file.flow, named: file.flowName, limits: limits).files
  }
}

/// A VM that nobody uses.
///
/// It is sendable because only the cache refers to it: whoever takes it out, under the cache's lock, is its only owner.
private struct IdleVM: @unchecked Sendable {
  let vm: PreparedVM
}

/// The VMs that wait for a scenario, by their flows.
private struct IdleVMs: Sendable {
  /// The number of VMs that are stored at most.
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

  /// Returns true if nobody has asked for this flow before.
  mutating func isFirst(_ key: FlowCache.Key) -> Bool { seen.insert(key).inserted }
}
