import FlowKernel

/// The row of the table `journal`: the journal's identity.
package enum JournalRow {
  /// Reads the identity.
  ///
  /// - Throws: `JournalError` if the row is not as it was written.
  package static func read(
    toWrite: Bool = false, on connection: any SQLConnection
  ) throws(JournalError) -> JournalIdentity {
    let lock = toWrite ? connection.rowLock : ""
    var found: [JournalIdentity] = []
    try connection.each("SELECT id, flow, former, sum FROM journal\(lock)", []) {
      (row) throws(JournalError) in
      let former = row.text(2).split(separator: "\n").map(String.init)
      let identity = JournalIdentity(
        id: row.text(0), flow: row.isNull(1) ? nil : row.text(1), formerNames: former)
      if checksum(identity) != row.integer(3) {
        throw Damage.error(
          connection.path, "the identity of the journal was changed after it was written")
      }
      found.append(identity)
    }
    guard let identity = found.first else {
      throw Damage.error(connection.path, "the identity of the journal is missing")
    }
    if found.count > 1 {
      throw Damage.error(connection.path, "the journal has \(found.count) identities")
    }
    return identity
  }

  /// Claims the journal for a flow, within a transaction.
  ///
  /// - Throws: `JournalError` if another flow owns it.
  package static func claim(
    as flow: String, adopting: Bool, on connection: any SQLConnection
  ) throws(JournalError) -> JournalIdentity {
    let before = try read(toWrite: true, on: connection)
    let identity = try before.claimed(by: flow, adopting: adopting, in: connection.path)
    if identity == before { return identity }
    try connection.run(
      "UPDATE journal SET flow = ?, former = ?, sum = ?", .text(flow),
      .text(identity.formerNames.joined(separator: "\n")), .integer(checksum(identity)))
    return identity
  }

  package static func checksum(_ identity: JournalIdentity) -> Int {
    var sum = Checksum()
    sum.add(identity.id)
    sum.add(identity.flow == nil ? 0 : 1)
    sum.add(identity.flow ?? "")
    sum.add(identity.formerNames.joined(separator: "\n"))
    return Int(sum.value)
  }
}
