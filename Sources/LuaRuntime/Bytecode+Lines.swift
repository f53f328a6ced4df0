import CLatch
import Platform

/// Which lines of a compiled text can run.
extension Bytecode {
  /// The lines on which an instruction stands, those of functions that are never called included.
  ///
  /// The instruction that ends every function is left out: a function that returns by itself never
  /// comes to its `end`. Empty for code that keeps no lines.
  package var lines: Set<Int> {
    var count = 0
    guard let lines = latch_code_lines(bytes, bytes.count, &count) else { return [] }
    defer { free(lines) }
    return Set(UnsafeBufferPointer(start: lines, count: count).lazy.map { Int($0) })
  }
}
