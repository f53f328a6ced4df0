import LuaRuntime

/// An effect that is under way, or about to begin: all of it except the coroutine.
///
/// It is in the state of the case from the beginning of the effect to its end.
package struct EffectRecord: Sendable {
  /// A closed scope instance that an effect still has.
  package struct ClosedScopeInstance: Sendable {
    package let number: Int
    /// The scope's name; empty if the instance closed so long ago that it was forgotten.
    package let scope: String
    /// The number of the scope instance around it.
    package let parent: Int
  }

  /// The number of the effect; 0 for one that is about to begin.
  package let number: Int
  /// Its title in messages, and its number among the effects of that title.
  package let title: String
  package let ordinal: Int
  package var state: ActiveState?
  package let cause: Cause
  /// The scope instance in which it waits.
  package let instance: Int
  package let commit: Commit
  /// The log of a durable effect, encoded.
  package var log: [UInt8] = []
  /// The scope instance that it has as `self`, if that is closed.
  var own: ClosedScopeInstance?
  /// Its waits, one for each function that waits, in order of position.
  package var waits: [EffectStatus.Wait] = []
  /// The latest failed attempts.
  package var attempts: [EffectAttempt] = []

  /// Returns the effect for another case, without its log, so that it is cut off there.
  package func forked(as number: Int) -> EffectRecord {
    EffectRecord(
      number: number, title: title, ordinal: ordinal, state: state, cause: cause,
      instance: instance,
      commit: commit)
  }

  package mutating func add(_ failed: EffectAttempt) {
    attempts = attempts.suffix(EffectAttempt.most - 1) + [failed]
  }

  /// Records that a function begins to wait; the effect itself has the empty name.
  package mutating func add(_ wait: EffectStatus.Wait) {
    let place = place(of: wait.function)
    if waits.dropFirst(place).first?.function == wait.function {
      waits[place] = wait
    } else {
      waits.insert(wait, at: place)
    }
  }

  mutating func endWait(of function: String) {
    let place = place(of: function)
    if waits.dropFirst(place).first?.function == function { waits.remove(at: place) }
  }

  /// Returns the place of a function's wait, or the place at which it would be.
  private func place(of function: String) -> Int {
    var (low, high) = (0, waits.count)
    while low < high {
      let middle = (low + high) / 2
      if waits[middle].function < function { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension EffectRecord: Stored {
  package func write(to writer: inout ValueWriter) { write(to: &writer, besides: []) }

  /// Writes the record.
  ///
  /// - Parameter commits: the revisions of the commits that come before it in the same entry.
  package func write(to writer: inout ValueWriter, besides commits: Set<Int>) {
    writer.writeCount(number)
    writer.writeText(title)
    writer.writeCount(ordinal)
    writer.write(state) { $0.write($1) }
    writer.write(cause)
    writer.writeCount(instance)
    let isThere = commits.contains(commit.revision)
    writer.write(!isThere)
    if isThere { writer.writeCount(commit.revision) } else { writer.write(commit) }
    writer.writeBytes(log)
    writer.write(own) {
      $0.writeCount($1.number)
      $0.writeText($1.scope)
      $0.writeCount($1.parent)
    }
    writer.write(waits)
    writer.write(attempts)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    try self.init(from: &reader, [:])
  }

  package init(
    from reader: inout ValueReader, _ commits: [Int: Commit]
  ) throws(ValueReader.Malformed) {
    number = try reader.readCount()
    title = try reader.readText()
    ordinal = try reader.readCount()
    state = try reader.readOptional { reader throws(ValueReader.Malformed) in try reader.read() }
    cause = try reader.read()
    instance = try reader.readCount()
    if try reader.readFlag() {
      commit = try reader.read()
    } else {
      guard let told = commits[try reader.readCount()] else { throw ValueReader.Malformed() }
      commit = told
    }
    log = try reader.readBytes()
    own = try reader.readOptional { reader throws(ValueReader.Malformed) in
      ClosedScopeInstance(
        number: try reader.readCount(), scope: try reader.readText(),
        parent: try reader.readCount())
    }
    waits = try reader.readAll()
    attempts = try reader.readAll()
  }
}
