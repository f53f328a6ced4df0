import FlowKernel
import Testing

/// The canonical form of a state without its tree, divided into parts.
@Suite("Canonical state")
struct CanonicalStateTests {
  private typealias Part = CanonicalState.Part

  private static func state(_ parts: [Part]) -> CanonicalState {
    var state = CanonicalState()
    for part in parts { state[part] = .time(1) }
    return state
  }

  @Test("the order of differing parts does not depend on which state comes first")
  func order() {
    let parts: [Part] =
      [.timers, .time, .effects]
      + (0..<40).flatMap { number -> [Part] in
        [
          .option(gatekeeper: "keeper \(number)", option: "here"), .gatekeeper("other \(number)"),
          .historyValues(machine: "machine \(number)"),
        ]
      }
    let orders = [parts, parts.reversed(), Array(parts[7...] + parts[..<7])]
    let told = orders.flatMap { order in
      [
        CanonicalState().parts(otherThanIn: CanonicalStateTests.state(order)),
        CanonicalStateTests.state(order).parts(otherThanIn: CanonicalState()),
      ]
    }
    #expect(told.allSatisfy { $0 == told[0] && $0 == $0.sorted() })
    #expect(Set(told[0]) == Set(parts))
  }

  @Test("parts that are equal in both states are not among the differing ones")
  func same() {
    let one = CanonicalStateTests.state([.timers, .time])
    var other = CanonicalStateTests.state([.timers, .effects])
    #expect(one.parts(otherThanIn: other) == [.time, .effects])
    other = one
    #expect(one.parts(otherThanIn: other).isEmpty)
  }
}
