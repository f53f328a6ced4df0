import FlowLanguage
import LuaRuntime

/// What a durable effect was told, in order, so that it can be told again when it is run again.
///
/// Everything that an effect learns comes through the host, so this is all that it takes to lead it to where it was.
/// It belongs to the engine's thread.
package final class EffectLog {
  /// So many bytes it keeps at most.
  package static let most = 1 << 20

  /// The records still to be replayed, the next one first, without those of stubs themselves.
  private var again: ArraySlice<Item> = []
  /// The records of stubs whose calls were not answered, by the function that made the call.
  package private(set) var stubs: [Int: [Item]] = [:]
  /// The functions of it that have begun, by number: 0 is the effect itself.
  package private(set) var functions: [Int] = []
  /// The answers of `revised`, by name.
  package var revisions: [ExactText: Bool] = [:]
  /// The latest item that was told again.
  package private(set) var latest: Item?
  /// Whether a question is being answered: what that asks in turn is no question of the effect's.
  var isAnswering = false
  /// What is wrong, where it has asked something else than it did before.
  package var deviation: String?
  /// Whether that has been told.
  package var isOver = false
  /// True if the effect only tries what was recorded, and does nothing beyond it.
  let isTrial: Bool

  package init() { isTrial = false }

  /// What was told before, to be told again.
  ///
  /// - Parameter isTrial: whether nothing is done beyond what was recorded.
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

  /// Whether it is being led to where it was.
  var isTellingAgain: Bool { !again.isEmpty }

  /// What is told next, again.
  package var next: Item? { again.first { !$0.isPassedOver } }

  func takeNext() -> Item? {
    again = again.drop { $0.isPassedOver }
    latest = again.first ?? latest
    return again.popFirst()
  }

  /// Whether it has printed here before.
  package func takePrinted() -> Bool {
    let marks = again.prefix { if case .revised = $0 { true } else { false } }.count
    guard again.count > marks, case .printed = again[again.startIndex + marks] else { return false }
    if marks == 0 { again.removeFirst() } else { again.remove(at: again.startIndex + marks) }
    return true
  }

  /// Returns true if a marker is recorded here that the effect took the new branch of that change.
  func takeRevision(_ name: String) -> Bool {
    let here = again.prefix { $0.isPassedOver }
    guard let index = here.firstIndex(where: { $0.isRevision(name) }) else { return false }
    again.remove(at: index)
    return true
  }

  /// Returns true if a function waits here for an answer that is recorded further on.
  func isAnsweredLater(_ function: Int) -> Bool {
    again.contains {
      switch $0 {
      case .wentOn(function, _), .stubAnswered(function, _, _): true
      default: false
      }
    }
  }

  /// Returns true if a call of that capability is recorded further on.
  func isCalledLater(_ capability: String) -> Bool {
    again.contains {
      if case .called(let question) = $0 { question.name == capability } else { false }
    }
  }

  /// It has been led to where it was.
  func endTelling() { again = [] }

  /// Removes and returns the records of the stub that answers a call of that function.
  func takeStub(of function: Int) -> [Item] { stubs.removeValue(forKey: function) ?? [] }

  /// A function of it begins, or it itself.
  package func begin(_ number: Int) { functions.append(number) }

  /// Which function has that number among effects.
  package func function(_ number: Int) -> Int { functions.lastIndex(of: number) ?? 0 }
}
