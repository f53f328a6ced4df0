import LuaRuntime

/// All that a case is: what stands after an entry, and what the entries behind it have changed since.
///
/// A snapshot is an image at rest. An entry is either an image too (the birth, a reload, going along the history), or
/// a turn: what changed in it. Scopes, gatekeepers and machines are known by name, so that another text of the
/// flow can take the case over.
package struct CaseImage: Sendable {
  package var caseState: CaseState
  /// Effects that did not finish since the entry before: only the entry with which this was written tells of them.
  package var failures: [EffectFailure] = []
  /// Openings of scopes that are closed, and since when.
  package var closed: [Int: String] = [:]
  /// The state's tree, with what kind of table each is.
  package var tree: [UInt8] = []
  /// What was changed in it since, a transition each, in order.
  package var patches: [[UInt8]] = []

  package init(_ caseState: CaseState) { self.caseState = caseState }

  /// What entries are, in their first bytes.
  package enum Kind: UInt8 {
    case image = 1
    case turn = 2
  }

  /// The version of the encoding.
  package static let format: UInt8 = 2
}

/// The parts of a turn, by the numbers that they have in entries: never given to anything else.
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
    // Typed errors do not go through closures of the standard library.
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

  /// What an entry is; nil where it is none that this version can read.
  package static func kind(of body: [UInt8]) -> Kind? {
    body.count > 1 && body[0] == format ? Kind(rawValue: body[1]) : nil
  }

  /// Goes on by an entry; where that cannot be read, the image is to be thrown away.
  package mutating func take(entry body: [UInt8]) throws(ValueReader.Malformed) {
    switch CaseImage.kind(of: body) {
    case .image: self = try CaseImage(image: body)
    case .turn: take(try TurnFacts(entry: body))
    case nil: throw ValueReader.Malformed()
    }
  }
}
