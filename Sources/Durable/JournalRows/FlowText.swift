import FlowHosting
import FlowKernel

/// The texts of a flow as one blob: each name and each text preceded by its length.
package enum FlowText {
  package static func bytes(of texts: [JournaledFlow.Text]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in texts.flatMap({ [$0.name, $0.text] }) {
      withUnsafeBytes(of: UInt32(part.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: part.utf8)
    }
    return bytes
  }

  /// Decodes texts that `bytes` has encoded; nil if they are malformed.
  package static func texts(of bytes: [UInt8]) -> [JournaledFlow.Text]? {
    var parts: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.count >= 4 else { return nil }
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard rest.count >= count else { return nil }
      parts.append(String(decoding: rest.prefix(count), as: UTF8.self))
      rest = rest.dropFirst(count)
    }
    guard parts.count % 2 == 0 else { return nil }
    return stride(from: 0, to: parts.count, by: 2).map {
      JournaledFlow.Text(name: parts[$0], text: parts[$0 + 1])
    }
  }
}

/// A row of the table `flow`.
package struct FlowRow {
  package let number: Int
  package let flow: JournaledFlow

  private static func checksum(_ flow: JournaledFlow) -> Int {
    var sum = Checksum()
    sum.add(flow.name)
    sum.add(flow.hash)
    sum.add(flow.version)
    sum.add(FlowText.bytes(of: flow.texts))
    return Int(sum.value)
  }

  /// Inserts a flow.
  ///
  /// - Returns: its number; nil if the flow is stored already.
  package static func insert(
    _ flow: JournaledFlow, on connection: any SQLConnection
  ) throws(JournalError) -> Int? {
    try connection.row(
      """
      INSERT INTO flow(name, hash, version, texts, sum) VALUES(?, ?, ?, ?, ?)
      ON CONFLICT(name, hash) DO NOTHING RETURNING id
      """, .text(flow.name), .text(flow.hash), .integer(flow.version),
      .bytes(FlowText.bytes(of: flow.texts)), .integer(checksum(flow))
    ) { $0.integer(0) }
  }

  package static func read(_ number: Int, on connection: any SQLConnection) throws(JournalError)
    -> JournaledFlow?
  {
    try connection.row(
      "SELECT name, hash, version, texts, sum FROM flow WHERE id = ?", .integer(number)
    ) { (row) throws(JournalError) in
      let texts = FlowText.texts(of: row.bytes(3))
      let flow = JournaledFlow(
        name: row.text(0), hash: row.text(1), version: row.integer(2), texts: texts ?? [])
      if texts == nil || checksum(flow) != row.integer(4) {
        throw Damage.error(
          connection.path, "the source of flow \(number) was changed after it was written")
      }
      return flow
    }
  }

  /// Returns the numbers of all flows, in order.
  package static func all(on connection: any SQLConnection) throws(JournalError) -> [Int] {
    try connection.rows("SELECT id FROM flow ORDER BY id") { $0.integer(0) }
  }

  /// Returns the numbers of all flows, by name and hash.
  package static func numbers(on connection: any SQLConnection) throws(JournalError)
    -> [[ExactText]: Int]
  {
    var numbers: [[ExactText]: Int] = [:]
    try connection.each("SELECT id, name, hash FROM flow") { row in
      numbers[[ExactText(row.text(1)), ExactText(row.text(2))]] = row.integer(0)
    }
    return numbers
  }
}
