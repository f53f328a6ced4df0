import LuaRuntime
import Platform

/// A cache of the template from which the VMs of a flow's hosts are cloned, once there is more than one host.
///
/// Loading gives each VM the same contents, so a clone does as well. Only the output of the loading would be lost: a
/// flow that prints then is run in the VM of each host.
final class VMTemplateCache: Sendable {
  private enum State {
    case unused
    /// One host was started.
    case used(under: Limits)
    case made(VMTemplate, under: Limits)
    /// The template is being made, or cannot be made.
    case none
  }

  private let state = Mutex(State.unused)

  /// Returns the template for a host under these limits; nil if the flow has to be run in the host's own VM.
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
