import LuaRuntime

/// The whole stored state of a case: its snapshot at an entry, and the changes of the entries after it.
///
/// A snapshot is an image of a case at rest. An entry is either an image (the birth, a reload, undo or redo), or a
/// turn: the changes made in it. Scopes, gatekeepers and machines are stored by name, so that another version of the
/// flow can take the case over.
package struct CaseImage: Sendable {
  package var caseState: CaseState
  /// The effects that did not finish since the previous entry; only the entry with which this was written has them.
  package var failures: [EffectFailure] = []
  /// The closed scope instances, by number, each with the event that closed it.
  package var closed: [Int: String] = [:]
  /// The tree of the state, with the kind of each table.
  package var tree: [UInt8] = []
  /// The patches of the commits since then, in order.
  package var patches: [[UInt8]] = []

  package init(_ caseState: CaseState) { self.caseState = caseState }

  /// The kinds of entries, as stored in their second byte.
  package enum Kind: UInt8 {
    case image = 1
    case turn = 2
  }

  /// The version of the encoding.
  package static let format: UInt8 = 2
}

/// The parts of a turn, with the numbers that they have in entries; a number is never reused.
enum TurnFact: UInt8 {
  case end = 0
  case commit = 1
  case change = 2
  case began = 3
  case ended = 4
  case numbers = 5
  case clock = 6
  case queue = 7
  case upNext = 8
  case told = 10
  case closed = 11
  case refused = 12
  case failed = 13
  case attempt = 14
  case waits = 15
  case refusedDropped = 16
  case givenDraws = 17
  case pendingChanges = 18
}

// MARK: Writing

extension CaseImage {
  package func write(to writer: inout ValueWriter) {
    writer.begin(.image)
    writer.write(caseState)
    writer.write(failures)
    writer.write(closed.sorted { $0.key < $1.key }) {
      $0.writeCount($1.key)
      $0.writeText($1.value)
    }
    writer.writeBytes(tree)
  }
}

// MARK: Reading

extension CaseImage {
  /// Reads an image.
  package init(image body: [UInt8]) throws(ValueReader.Malformed) {
    self = try CaseImage.reading(body, as: .image) { reader throws(ValueReader.Malformed) in
      try CaseImage(from: &reader)
    }
  }

  private init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(try reader.read())
    failures = try reader.readAll()
    for _ in 0..<(try reader.readLength()) {
      let number = try reader.readCount()
      closed[number] = try reader.readText()
    }
    tree = try reader.readBytes()
  }

  package static func reading<Result>(
    _ body: [UInt8], as kind: Kind,
    _ read: (inout ValueReader) throws(ValueReader.Malformed) -> Result
  ) throws(ValueReader.Malformed) -> Result {
    // Typed errors do not pass through closures of the standard library.
    let result: Swift.Result<Result, ValueReader.Malformed> = body.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      do throws(ValueReader.Malformed) {
        guard try reader.byte() == format, try reader.byte() == kind.rawValue else {
          throw ValueReader.Malformed()
        }
        let result = try read(&reader)
        guard reader.isAtEnd else { throw ValueReader.Malformed() }
        return .success(result)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Returns the kind of an entry; nil if this version cannot read it.
  package static func kind(of body: [UInt8]) -> Kind? {
    body.count > 1 && body[0] == format ? Kind(rawValue: body[1]) : nil
  }

  /// Applies an entry; if it throws, the image must be discarded.
  package mutating func take(entry body: [UInt8]) throws(ValueReader.Malformed) {
    switch CaseImage.kind(of: body) {
    case .image: self = try CaseImage(image: body)
    case .turn: take(try TurnFacts(entry: body))
    case nil: throw ValueReader.Malformed()
    }
  }
}
