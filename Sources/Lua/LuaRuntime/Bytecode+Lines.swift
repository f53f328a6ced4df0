import CLatch
import Platform

/// Which lines of a compiled text can run.
extension Bytecode {
  /// The lines on which an instruction stands, those of functions that are never called included.
  ///
  /// The instruction that ends every function is left out: a function that returns by itself never
  /// comes to its `end`. Empty for code that keeps no lines.
  package var lines: Set<Int> { Set(told.filter { $0 > 0 }) }

  /// The lines on which functions begin.
  package var functionLines: Set<Int> { Set(told.filter { $0 < 0 }.map(-)) }

  private var told: [Int] {
    var count = 0
    guard let lines = latch_code_lines(bytes, bytes.count, &count) else { return [] }
    defer { free(lines) }
    return UnsafeBufferPointer(start: lines, count: count).map { Int($0) }
  }
}
