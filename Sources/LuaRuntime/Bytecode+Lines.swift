/// Which lines of a compiled text can run.
extension Bytecode {
  /// The lines on which an instruction stands, those of functions that are never called included.
  ///
  /// The instruction that ends every function is left out: a function that returns by itself never
  /// comes to its `end`. Empty for code that keeps no lines.
  package var lines: Set<Int> {
    var reader = BytecodeReader(bytes)
    return (try? reader.lines()) ?? []
  }
}

/// Reads Lua 5.4's binary format as far as lines go.
///
/// The bytes are the linked library's own; what is not as expected has no lines.
private struct BytecodeReader {
  private struct Unexpected: Error {}

  private let bytes: [UInt8]
  private var position = 0
  private var found: Set<Int> = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func lines() throws -> Set<Int> {
    // Signature, version, format, six bytes of data, three sizes, an integer and a number to check,
    // how many upvalues the main function has.
    guard bytes.count > 32, bytes[4] == 0x54, bytes[12] == 4, bytes[13] == 8, bytes[14] == 8 else {
      throw Unexpected()
    }
    position = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1
    try function(depth: 0)
    return found
  }

  private mutating func function(depth: Int) throws {
    guard depth < 250 else { throw Unexpected() }
    try string()
    let first = try number()
    _ = try number()
    try skip(1)
    // Such a function begins by setting up `...`, which is on no line of its own.
    let isVariadic = try byte() != 0
    try skip(1)
    let instructions = try number()
    try skip(instructions * 4)
    try constants()
    let upvalues = try number()
    try skip(upvalues * 3)
    for _ in 0..<(try number()) { try function(depth: depth + 1) }
    try lineInformation(from: first, instructions, leavingOut: isVariadic ? 1 : 0)
    try names(behind: 2)
    try names(behind: 0)
  }

  private mutating func constants() throws {
    for _ in 0..<(try number()) {
      switch try byte() {
      case 0x03, 0x13: try skip(8)
      case 0x04, 0x14: try string()
      case 0x00, 0x01, 0x11: break
      default: throw Unexpected()
      }
    }
  }

  /// Each instruction's line is told as the difference to the one before, now and then as itself.
  private mutating func lineInformation(
    from first: Int, _ instructions: Int, leavingOut setUp: Int
  ) throws {
    let count = try number()
    guard count == 0 || count == instructions else { throw Unexpected() }
    let start = position
    try skip(count)
    var absolute: [Int: Int] = [:]
    for _ in 0..<(try number()) {
      let instruction = try number()
      absolute[instruction] = try number()
    }
    var line = first
    for index in 0..<count {
      let difference = Int8(bitPattern: bytes[start + index])
      if difference == .min { line = absolute[index] ?? line } else { line += Int(difference) }
      if index >= setUp, index < count - 1, line > 0 { found.insert(line) }
    }
  }

  /// Names, each followed by so many numbers.
  private mutating func names(behind numbers: Int) throws {
    for _ in 0..<(try number()) {
      try string()
      for _ in 0..<numbers { _ = try number() }
    }
  }

  private mutating func string() throws {
    let size = try number()
    if size > 0 { try skip(size - 1) }
  }

  /// Seven bits a byte, the most significant first; the last byte has its highest bit set.
  private mutating func number() throws -> Int {
    var value = 0
    while true {
      let byte = try byte()
      guard value < 1 << 50 else { throw Unexpected() }
      value = value << 7 | Int(byte & 0x7f)
      if byte & 0x80 != 0 { return value }
    }
  }

  private mutating func byte() throws -> UInt8 {
    guard position < bytes.count else { throw Unexpected() }
    position += 1
    return bytes[position - 1]
  }

  private mutating func skip(_ count: Int) throws {
    guard count >= 0, count <= bytes.count - position else { throw Unexpected() }
    position += count
  }
}
