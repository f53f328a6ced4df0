import Moonlatch
import Testing

/// What belongs to a state that is explored besides its tree.
@Suite("Explored ledger")
struct ExploredLedgerTests {
  private typealias Part = ExploredLedger.Part

  private static func ledger(_ parts: [Part]) -> ExploredLedger {
    var ledger = ExploredLedger()
    for part in parts { ledger[part] = .time(1) }
    return ledger
  }

  @Test("parts that differ come in the same order, whichever came first")
  func order() {
    let parts: [Part] =
      [.timers, .time, .effects]
      + (0..<40).flatMap { number -> [Part] in
        [
          .option(gatekeeper: "keeper \(number)", option: "here"), .gatekeeper("other \(number)"),
          .memory(machine: "machine \(number)"),
        ]
      }
    let orders = [parts, parts.reversed(), Array(parts[7...] + parts[..<7])]
    let told = orders.flatMap { order in
      [
        ExploredLedger().parts(otherThanIn: ExploredLedgerTests.ledger(order)),
        ExploredLedgerTests.ledger(order).parts(otherThanIn: ExploredLedger()),
      ]
    }
    #expect(told.allSatisfy { $0 == told[0] && $0 == $0.sorted() })
    #expect(Set(told[0]) == Set(parts))
  }

  @Test("what is the same in both is none of them")
  func same() {
    let one = ExploredLedgerTests.ledger([.timers, .time])
    var other = ExploredLedgerTests.ledger([.timers, .effects])
    #expect(one.parts(otherThanIn: other) == [.time, .effects])
    other = one
    #expect(one.parts(otherThanIn: other).isEmpty)
  }
}
