import CLatch
import Platform

/// Lines of compiled code, for coverage.
extension Bytecode {
  /// The lines that have an instruction, including those of functions that are never called.
  ///
  /// The instruction that ends every function is left out, because a function that returns by itself never reaches
  /// its `end`. Empty for code without line numbers.
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
