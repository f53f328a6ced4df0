#if PostgreSQL
  import CPQ
  import JournalRows

  /// A value as the server reads it: its type, and its bytes in binary; none for null.
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
      self.init(numbers.map { $0.map(Self.big) }, type: Kind.integerArray, of: Kind.integer)
    }

    init(_ values: [[UInt8]?]) { self.init(values, type: Kind.bytesArray, of: Kind.bytes) }

    init(_ texts: [String]) { self.init(texts.map { Array($0.utf8) }) }

    private init(_ elements: [[UInt8]?], type: UInt32, of element: UInt32) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
      let hasNull = elements.contains { $0 == nil }
      for number in [elements.isEmpty ? 0 : 1, hasNull ? 1 : 0, Int32(element)] {
        Self.add(number, to: &bytes)
      }
      if !elements.isEmpty {
        Self.add(Int32(clamping: elements.count), to: &bytes)
        Self.add(1, to: &bytes)
      }
      for element in elements {
        Self.add(element.map { Int32(clamping: $0.count) } ?? -1, to: &bytes)
        if let element { bytes += element }
      }
      (self.type, self.bytes) = (type, bytes)
    }

    private static func big(_ number: Int) -> [UInt8] {
      withUnsafeBytes(of: Int64(number).bigEndian) { Array($0) }
    }

    private static func add(_ number: Int32, to bytes: inout [UInt8]) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Has a prepared statement run with values.
    static func send(_ values: [PostgresValue], to link: OpaquePointer?, statement: String) -> Bool
    {
      // One piece of memory for all of them, which does not move until they are sent.
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
