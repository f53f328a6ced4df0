import LuaRuntime

extension ValueReader {
  mutating func readHistoryValues() throws(Malformed) -> [CaseState.Remembered: [String]] {
    var values: [CaseState.Remembered: [String]] = [:]
    for _ in 0..<(try readLength()) { values[try read()] = try readTexts() }
    return values
  }

  mutating func readTexts() throws(Malformed) -> [String] {
    try readAll { reader throws(Malformed) in try reader.readText() }
  }
}

extension ValueReader {
  typealias Unread = ValueReader.Malformed

  mutating func read<Type: Stored>(_ type: Type.Type = Type.self) throws(Unread) -> Type {
    try Type(from: &self)
  }

  mutating func readFlag() throws(Unread) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw Malformed()
    }
  }

  mutating func readAll<Element>(
    _ read: (inout ValueReader) throws(Unread) -> Element
  ) throws(Unread) -> [Element] {
    let count = try readLength()
    var all: [Element] = []
    all.reserveCapacity(min(count, 1_000))
    for _ in 0..<count { all.append(try read(&self)) }
    return all
  }

  mutating func readAll<Type: Stored>(_ type: Type.Type = Type.self) throws(Unread) -> [Type] {
    try readAll { reader throws(Unread) in try Type(from: &reader) }
  }

  mutating func readOptional<Wrapped>(
    _ read: (inout ValueReader) throws(Unread) -> Wrapped
  ) throws(Unread) -> Wrapped? {
    try readFlag() ? try read(&self) : nil
  }
}
