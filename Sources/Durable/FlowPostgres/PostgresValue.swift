#if PostgreSQL
  import CPQ
  import JournalRows

  /// A bound value: its type, and its bytes in binary format; nil bytes for null.
  struct PostgresValue {
    let type: UInt32
    let bytes: [UInt8]?

    private enum Kind {
      static let (bytes, integer): (UInt32, UInt32) = (17, 20)
      static let (bytesArray, integerArray): (UInt32, UInt32) = (1_001, 1_016)
    }

    init(_ field: Field) {
      switch field {
      case .integer(let number): (type, bytes) = (Kind.integer, number.map(Self.big))
      case .text(let text): (type, bytes) = (Kind.bytes, Array(text.utf8))
      case .bytes(let given): (type, bytes) = (Kind.bytes, given)
      }
    }

    init(_ numbers: [Int?]) {
      type = Kind.integerArray
      bytes = Self.array(numbers, of: Kind.integer, size: 8) { number, bytes in
        Self.add(8 as Int32, to: &bytes)
        Self.add(Int64(number), to: &bytes)
      }
    }

    init(_ values: [[UInt8]?]) {
      type = Kind.bytesArray
      bytes = Self.array(values, of: Kind.bytes, size: values.first??.count ?? 0) { value, bytes in
        Self.add(Int32(clamping: value.count), to: &bytes)
        bytes += value
      }
    }

    init(_ texts: [String]) {
      type = Kind.bytesArray
      bytes = Self.array(texts, of: Kind.bytes, size: texts.first?.utf8.count ?? 0) { text, bytes in
        Self.add(Int32(clamping: text.utf8.count), to: &bytes)
        bytes += text.utf8
      }
    }

    /// Encodes an array of one dimension.
    ///
    /// - Parameter size: the expected size of an element in bytes, for which memory is reserved.
    private static func array<T>(
      _ elements: [T?], of type: UInt32, size: Int, _ add: (T, inout [UInt8]) -> Void
    ) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(20 + elements.count * (4 + size))
      let hasNull = elements.contains { $0 == nil }
      for number in [elements.isEmpty ? 0 : 1, hasNull ? 1 : 0, Int32(type)] {
        Self.add(number, to: &bytes)
      }
      if !elements.isEmpty {
        Self.add(Int32(clamping: elements.count), to: &bytes)
        Self.add(1 as Int32, to: &bytes)
      }
      for element in elements {
        if let element { add(element, &bytes) } else { Self.add(-1 as Int32, to: &bytes) }
      }
      return bytes
    }

    /// Decodes an array of one dimension without nulls, as the server sends it.
    static func integers(of bytes: [UInt8]) -> [Int] {
      // The header has the dimensions, flags, type, length and first index; each element is preceded by its length.
      stride(from: 24, to: bytes.count - 7, by: 12).map { start in
        bytes[start..<start + 8].reduce(0) { $0 << 8 | Int($1) }
      }
    }

    private static func big(_ number: Int) -> [UInt8] {
      withUnsafeBytes(of: Int64(number).bigEndian) { Array($0) }
    }

    private static func add<T: FixedWidthInteger>(_ number: T, to bytes: inout [UInt8]) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Runs a prepared statement with values.
    ///
    /// - Returns: false if it could not be sent.
    static func send(_ values: [PostgresValue], to link: OpaquePointer?, statement: String) -> Bool
    {
      // One piece of memory for all values, which does not move until they are sent.
      var all: [UInt8] = []
      for value in values { all += value.bytes ?? [] }
      all.append(0)
      return all.withUnsafeBytes { memory -> Bool in
        guard let base = memory.bindMemory(to: CChar.self).baseAddress else { return false }
        var (offset, places): (Int, [UnsafePointer<CChar>?]) = (0, [])
        for value in values {
          places.append(value.bytes == nil ? nil : base + offset)
          offset += value.bytes?.count ?? 0
        }
        let lengths = values.map { Int32(clamping: $0.bytes?.count ?? 0) }
        let formats = values.map { _ in Int32(1) }
        return PQsendQueryPrepared(
          link, statement, Int32(values.count), places, lengths, formats, 1) == 1
      }
    }
  }
#endif
