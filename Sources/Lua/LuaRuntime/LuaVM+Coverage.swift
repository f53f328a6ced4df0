import CLatch

/// Line coverage.
extension LuaVM {
  /// Records every line that runs, beginning with the next call.
  package func coverLines() { latch_cover_lines(latch) }

  /// The lines that have run and the first lines of the functions that were called, by the name of the chunk.
  package var coveredLines: [String: CoveredLines] { coveredLines { _ in true } }

  /// The same, of those chunks for whose names the condition holds.
  package func coveredLines(where isWanted: (String) -> Bool) -> [String: CoveredLines] {
    var covered: [String: CoveredLines] = [:]
    var index = 0
    var name: UnsafePointer<CChar>?
    var bits = latch_bytes()
    while latch_covered(latch, index, &name, &bits), let name {
      index += 1
      let chunk = String(cString: name)
      guard isWanted(chunk) else { continue }
      covered[chunk] = CoveredLines(UnsafeRawBufferPointer(start: bits.bytes, count: bits.length))
    }
    return covered
  }
}

/// The lines of a file that have run.
package struct CoveredLines: Sendable {
  /// The lines that have run.
  package private(set) var ran: Set<Int> = []
  /// The lines on which a called function begins.
  package private(set) var called: Set<Int> = []

  package init() {}

  /// Returns the lines that have run in one of two VMs.
  package func union(_ other: CoveredLines) -> CoveredLines {
    var all = self
    all.ran.formUnion(other.ran)
    all.called.formUnion(other.called)
    return all
  }

  /// Reads the bit field, which has two bits for each line.
  fileprivate init(_ bytes: UnsafeRawBufferPointer) {
    for (index, byte) in bytes.enumerated() where byte != 0 {
      for bit in 0..<8 where byte & (1 << bit) != 0 {
        let (line, isCall) = (index * 8 + bit).quotientAndRemainder(dividingBy: 2)
        if isCall == 1 { called.insert(line) } else { ran.insert(line) }
      }
    }
  }
}
