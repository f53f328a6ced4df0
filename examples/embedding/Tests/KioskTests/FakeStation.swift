import Kiosk
import Synchronization

/// A station that knows one price, and jams if it is told to.
final class FakeStation: Station {
  struct Jam: Error, CustomStringConvertible { let description = "paper jam" }

  let printed = Mutex<[Int]>([])
  private let isJammed: Bool

  init(isJammed: Bool = false) { self.isJammed = isJammed }

  func price(of destination: String) async throws -> Int {
    await Task.yield()
    return 250
  }

  func printTicket(_ number: Int) throws {
    if isJammed { throw Jam() }
    printed.withLock { $0.append(number) }
  }
}
