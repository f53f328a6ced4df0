import CLatch

/// A copy of a VM's content from which VMs are cloned, which is much faster than running the same code again.
///
/// Clones share what never changes, such as the code of functions, and nothing that a script can change.
package final class VMTemplate: @unchecked Sendable {  // nothing in it changes
  fileprivate let template: OpaquePointer
  fileprivate let cache: LuaVM.Cache
  fileprivate let memoryLimit: Int
  /// The number of instructions that were used to produce the content.
  package let instructions: Int
  /// The part of `instructions` that was used to open the VM.
  package let opening: Int

  /// Makes a template of a VM that was opened with `isNoted`, and in which nothing runs.
  ///
  /// The VM must not be used afterwards. Returns nil if it holds something that cannot be cloned, such as a
  /// coroutine of a script or a table with a table as a key, or if memory runs out.
  ///
  /// - Parameter opening: the number of instructions that had been used when the VM was opened.
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
  /// Opens a VM with the content of a template, and with the limits of the VM that the template was made of.
  ///
  /// Its instruction count is 0, and no host functions are provided.
  ///
  /// - Throws: a `memory` error if there is not enough memory.
  package convenience init(castFrom template: VMTemplate) throws(ScriptError) {
    try self.init(latch_clone(template.template), memoryLimit: template.memoryLimit)
    cache = template.cache
  }
}
