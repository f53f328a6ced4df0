import LuaRuntime
import StateBlocks

extension Limits {
  /// A number of instructions that is not counted, to measure what counting costs.
  ///
  /// Nothing ends an endless loop then.
  @_spi(Benchmarks) public static let uncounted = Int.min
}
