import LuaRuntime
import Synchronization

/// What the hosts of a loaded flow are cast from, once there is more than one.
///
/// What they would find in their VMs is the same each time. Only what they see of the loading is not: a
/// flow that prints then runs in each host.
final class VMTemplateCache: Sendable {
  private enum State {
    case unused
    /// One host was started.
    case used(under: Limits)
    case made(VMTemplate, under: Limits)
    /// It is being made, or cannot be.
    case none
  }

  private let state = Mutex(State.unused)

  /// The mould for a host under these limits; nil where the flow is to run in its VM.
  ///
  /// It is made for the second host under the same limits.
  package func template(of flow: LoadedFlow, under limits: Limits) -> VMTemplate? {
    let (known, isWanted): (VMTemplate?, Bool) = state.withLock { state in
      switch state {
      case .made(let template, limits): return (template, false)
      case .used(limits):
        state = .none
        return (nil, true)
      case .unused: state = .used(under: limits)
      case .used, .made, .none: break
      }
      return (nil, false)
    }
    guard isWanted, let template = make(of: flow, limits) else { return known }
    state.withLock { $0 = .made(template, under: limits) }
    return template
  }

  private func make(of flow: LoadedFlow, _ limits: Limits) -> VMTemplate? {
    guard let vm = try? LuaVM(limits: limits, isNoted: true) else { return nil }
    let opening = vm.instructionsUsed
    var hasPrinted = false
    do throws(ScriptError) {
      try vm.provide("print") { _ in
        hasPrinted = true
        return []
      }
      try flow.start(in: vm, limits: limits)
    } catch {
      return nil
    }
    return hasPrinted ? nil : VMTemplate(vm, opening: opening)
  }
}
