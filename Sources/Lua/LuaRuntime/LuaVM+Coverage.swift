import CLatch

/// Which lines have run.
extension LuaVM {
  /// Notes every line that runs from the next call on.
  package func coverLines() { latch_cover_lines(latch) }

  /// The lines that have run, by the names of their chunks, and those on which functions begin that
  /// were called.
  package var coveredLines: [String: CoveredLines] {
    var covered: [String: CoveredLines] = [:]
    var index = 0
    var name: UnsafePointer<CChar>?
    var bits = latch_bytes()
    while latch_covered(latch, index, &name, &bits), let name {
      let bytes = UnsafeRawBufferPointer(start: bits.bytes, count: bits.length)
      covered[String(cString: name)] = CoveredLines(bytes)
      index += 1
    }
    return covered
  }
}

/// What has run of a file.
package struct CoveredLines: Sendable {
  /// The lines that have run.
  package private(set) var ran: Set<Int> = []
  /// The lines on which a function begins that was called.
  package private(set) var called: Set<Int> = []

  package init() {}

  /// Reads two bits a line.
  fileprivate init(_ bytes: UnsafeRawBufferPointer) {
    for (index, byte) in bytes.enumerated() where byte != 0 {
      for bit in 0..<8 where byte & (1 << bit) != 0 {
        let (line, isCall) = (index * 8 + bit).quotientAndRemainder(dividingBy: 2)
        if isCall == 1 { called.insert(line) } else { ran.insert(line) }
      }
    }
  }
}
