import LuaRuntime
import StateBlocks

extension Limits {
  /// A limit with which instructions are not counted, to measure the cost of counting.
  ///
  /// Nothing ends an endless loop then.
  @_spi(Benchmarks) public static let uncounted = Int.min
}
