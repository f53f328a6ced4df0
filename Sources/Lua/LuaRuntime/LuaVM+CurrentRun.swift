import CLatch

extension LuaVM {
  /// Returns true if the VM of that number is open, which it is until its last reference is released.
  package static func isOpen(_ number: UInt64) -> Bool { latch_is_open(number) }

  /// The number of the VM, unique in this process.
  package var number: UInt64 { latch_number(latch) }
}
