import CLatch

/// What a VM held once, from which others like it are cast: much quicker than to run again all that ran
/// in it.
///
/// VMs that were cast share what never changes, the code of functions among it; nothing that a script
/// can change.
package final class VMTemplate: @unchecked Sendable {  // nothing in it changes
  fileprivate let template: OpaquePointer
  fileprivate let cache: LuaVM.Cache
  fileprivate let memoryLimit: Int
  /// The instructions that were used for what it holds.
  package let instructions: Int
  /// Those of them for opening a VM.
  package let opening: Int

  /// Takes what a VM holds that was opened `isNoted`, and in which nothing runs; from then on that is not
  /// to be used.
  ///
  /// Nil where it holds what belongs to it alone, such as a coroutine of a script's, or a table that
  /// finds something by a table; or where there is no memory.
  ///
  /// - Parameter opening: the instructions that had been used when it was opened.
  package init?(_ vm: LuaVM, opening: Int = 0) {
    vm.collectGarbage()
    guard let template = latch_make_template(vm.latch) else { return nil }
    self.template = template
    (cache, memoryLimit, instructions) = (vm.cache, vm.memoryLimit, vm.instructionsUsed)
    self.opening = opening
  }

  deinit { latch_drop_template(template) }
}

extension LuaVM {
  /// Opens a VM that holds what the mould does, under the limits of the one that it was made of.
  ///
  /// No instructions have been used in it, and nobody answers yet what its scripts ask. Throws a
  /// `memory` error when there is no room for one.
  package convenience init(castFrom template: VMTemplate) throws(ScriptError) {
    try self.init(latch_clone(template.template), memoryLimit: template.memoryLimit)
    cache = template.cache
  }
}
