import CLatch

/// Which lines have run.
extension LuaVM {
  /// Notes every line that runs from the next call on.
  package func coverLines() { latch_cover_lines(latch) }

  /// The lines that have run, by the names of their chunks.
  package var coveredLines: [String: Set<Int>] {
    var covered: [String: Set<Int>] = [:]
    var index = 0
    var name: UnsafePointer<CChar>?
    var bits = latch_bytes()
    while latch_covered(latch, index, &name, &bits), let name {
      let bytes = UnsafeRawBufferPointer(start: bits.bytes, count: bits.length)
      covered[String(cString: name)] = LuaVM.lines(in: bytes)
      index += 1
    }
    return covered
  }

  private static func lines(in bytes: UnsafeRawBufferPointer) -> Set<Int> {
    var lines: Set<Int> = []
    for (index, byte) in bytes.enumerated() where byte != 0 {
      for bit in 0..<8 where byte & (1 << bit) != 0 { lines.insert(index * 8 + bit) }
    }
    return lines
  }
}
