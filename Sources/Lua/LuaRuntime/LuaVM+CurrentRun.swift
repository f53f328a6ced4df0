import CLatch

extension LuaVM {
  /// Whether the VM of that number is open: it is until the last reference to it has gone.
  package static func isOpen(_ number: UInt64) -> Bool { latch_is_open(number) }

  /// A number that no other VM of this process has.
  package var number: UInt64 { latch_number(latch) }
}
