import FlowLanguage
import LuaRuntime

/// The recorded inputs of a durable effect, in order, from which it is replayed.
///
/// Everything that an effect learns comes through the host, so these records suffice to bring it back to where it was.
/// The log belongs to the engine's thread.
package final class EffectLog {
  /// The greatest size of the log, in bytes.
  package static let most = 1 << 20

  /// The records still to be replayed, the next one first, without those of stubs.
  private var again: ArraySlice<Item> = []
  /// The records of stubs whose calls were not answered, by the function that made the call.
  package private(set) var stubs: [Int: [Item]] = [:]
  /// The functions of the effect that have begun, by number; 0 is the effect itself.
  package private(set) var functions: [Int] = []
  /// The answers of `revised`, by name.
  package var revisions: [ExactText: Bool] = [:]
  /// The latest item that was replayed.
  package private(set) var latest: Item?
  /// The tasks that were open when the process ended, until the effect waits for them again.
  var openTasks: [OpenTask] = []
  /// True while a question is answered; questions asked meanwhile are not questions of the effect.
  var isAnswering = false
  /// The deviation, if the effect asked for something other than what is recorded.
  package var deviation: String?
  /// True once the deviation has been reported.
  package var isOver = false
  /// True if the effect only replays its records, and does nothing beyond them.
  let isTrial: Bool

  package init() { isTrial = false }

  /// Creates a log from its stored records, to replay them.
  ///
  /// - Parameter isTrial: true to do nothing beyond what was recorded.
  /// - Throws: `ValueReader.Malformed` if the records cannot be decoded.
  package init(telling bytes: [UInt8], isTrial: Bool = false) throws(ValueReader.Malformed) {
    let items = try EffectLog.items(of: bytes)
    self.isTrial = isTrial
    for item in items {
      switch item {
      case .ofStub(let function, let item): stubs[function, default: []].append(item)
      case .stubAnswered(let function, _, _): stubs[function] = nil
      default: break
      }
    }
    again = items.filter { if case .ofStub = $0 { false } else { true } }[...]
  }

  static func items(of bytes: [UInt8]) throws(ValueReader.Malformed) -> [Item] {
    let items: Result<[Item], ValueReader.Malformed> = bytes.withUnsafeBytes { buffer in
      var reader = ValueReader(buffer)
      var items: [Item] = []
      do throws(ValueReader.Malformed) {
        while !reader.isAtEnd { items.append(try Item(from: &reader)) }
        return .success(items)
      } catch {
        return .failure(error)
      }
    }
    return try items.get()
  }

  package static func bytes(of items: [Item]) -> [UInt8] {
    var writer = ValueWriter()
    for item in items { item.write(to: &writer) }
    return writer.bytes
  }

  /// True while records are still to be replayed.
  var isTellingAgain: Bool { !again.isEmpty }

  /// The next record to be replayed.
  package var next: Item? { again.first { !$0.isPassedOver } }

  func takeNext() -> Item? {
    again = again.drop { $0.isPassedOver }
    latest = again.first ?? latest
    return again.popFirst()
  }

  /// Removes the record that the effect printed here; returns true if there is one.
  package func takePrinted() -> Bool {
    let marks = again.prefix { if case .revised = $0 { true } else { false } }.count
    guard again.count > marks, case .printed = again[again.startIndex + marks] else { return false }
    if marks == 0 { again.removeFirst() } else { again.remove(at: again.startIndex + marks) }
    return true
  }

  /// Removes the record that the effect takes the new branch of a change here; returns true if there is one.
  func takeRevision(_ name: String) -> Bool {
    let here = again.prefix { $0.isPassedOver }
    guard let index = here.firstIndex(where: { $0.isRevision(name) }) else { return false }
    again.remove(at: index)
    return true
  }

  /// Returns true if a function waits here for an answer that is recorded later.
  func isAnsweredLater(_ function: Int) -> Bool {
    again.contains {
      switch $0 {
      case .wentOn(function, _), .callFailed(function, _), .stubAnswered(function, _, _): true
      default: false
      }
    }
  }

  /// Returns true if a call of that capability is recorded later.
  func isCalledLater(_ capability: String) -> Bool {
    again.contains {
      if case .called(let question) = $0 { question.name == capability } else { false }
    }
  }

  /// Ends the replay.
  func endTelling() { again = [] }

  /// Removes and returns the records of the stub that answers a call of that function.
  func takeStub(of function: Int) -> [Item] { stubs.removeValue(forKey: function) ?? [] }

  /// Records that the effect, or a function of it, begins with that number.
  package func begin(_ number: Int) { functions.append(number) }

  /// Returns the index of the function that has that number among effects.
  package func function(_ number: Int) -> Int { functions.lastIndex(of: number) ?? 0 }
}
