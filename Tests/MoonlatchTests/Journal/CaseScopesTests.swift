import LuaRuntime
import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Scopes that are opened in a case.
@Suite(.timeLimit(.minutes(2))) struct CaseScopesTests {
  private struct Badge: Sendable, Equatable { let name: String }

  private struct Refund: Encodable { let cents: Int }

  private final class Lines: Sendable {
    private let all = Mutex<[String]>([])
    var value: [String] { all.withLock { $0 } }
    func add(_ line: String) { all.withLock { $0.append(line) } }
  }

  private static let source = """
    state { paid = 0 }
    action.refund { cents = integer }
    internal.paid { cents = integer }
    function reduce.paid(s, a) s.paid = s.paid + a.cents end
    function effect.refund(self, a) dispatch.paid { cents = self:pay_out(a.cents) } end
    function view.paid(s) return s.paid end
    """

  private let lines = Lines()
  private let staff = KeyedScope("staff", key: Badge.self, actions: ["refund"])

  private func cases(in journal: any JournalStorage = MemoryJournal()) async throws -> Cases {
    let (lines, staff) = (lines, staff)
    return try await Cases(
      of: LoadedFlow(source: Self.source, name: "till.lua"), in: journal,
      options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in
      scopes.declare(staff) { staff in
        staff.provide("pay_out") { (badge: Badge, cents: Int) -> Int in
          lines.add("\(badge.name) pays \(cents)")
          return cents
        }
      }
    }
  }

  /// Refunds through a scope instance of a host or a case.
  private func refund(_ cents: Int, in till: some FlowInstance, by name: String) async throws {
    let opened = try await till.open(staff, with: Badge(name: name))
    try await opened.dispatch("refund", ["cents": .integer(cents)]).get()
    #expect(try await opened.isOpen)
    try await opened.close()
    #expect(try await !opened.isOpen)
  }

  @Test("an action of a scope passes in a case while the host holds the scope open, with its key")
  func opening() async throws {
    let cases = try await cases()
    let till = try await cases.create("a")
    let locked = try await till.dispatch("refund", ["cents": 5])
    #expect(locked.refusal?.rejectedBy == .scope("staff"))
    let ann = try await till.open(staff, with: Badge(name: "Ann"))
    let bob = try await till.open(staff, with: Badge(name: "Bob"))
    #expect(try await till.openScopes.map(\.name) == ["root", "staff", "staff"])
    #expect(try await ann.dispatch("refund", ["cents": 5]).isPassed)
    #expect(try await bob.dispatch("refund", Refund(cents: 7)).isPassed)
    #expect(lines.value == ["Ann pays 5", "Bob pays 7"])
    #expect(try await till.view("paid") == 12)
    let again = await #expect(throws: HostError.self) {
      _ = try await till.open(staff, with: Badge(name: "Bob"))
    }
    #expect(again?.kind == .openScope("staff"))
    try await ann.close()
    try await ann.close()
    #expect(try await !ann.isOpen)
    #expect(try await bob.isOpen)
    let closed = try await ann.dispatch("refund", ["cents": 5])
    #expect(closed.description.contains("through which it was dispatched is closed"))
    try await cases.close()
    #expect(try await !bob.isOpen)
  }

  @Test("a host and a case open scopes alike")
  func alike() async throws {
    let (lines, staff) = (lines, staff)
    let host = try FlowHost(
      source: Self.source, name: "till.lua", options: HostOptions(clock: .virtual)
    ) { scopes in
      scopes.declare(staff) { staff in
        staff.provide("pay_out") { (badge: Badge, cents: Int) -> Int in
          lines.add("\(badge.name) pays \(cents)")
          return cents
        }
      }
    }
    let cases = try await cases()
    try await refund(5, in: host, by: "Ann")
    try await refund(5, in: cases.create("a"), by: "Ann")
    #expect(lines.value == ["Ann pays 5", "Ann pays 5"])
    try await cases.close()
  }

  @Test("a case stays awake while a scope of the host is open in it")
  func awake() async throws {
    let cases = try await cases()
    let till = try await cases.create("a")
    let host = try await cases.use("a") { $0 }
    #expect(host.caseWriter?.mayRest == true)
    let ann = try await till.open(staff, with: Badge(name: "Ann"))
    #expect(host.caseWriter?.mayRest == false)
    try await ann.close()
    #expect(host.caseWriter?.mayRest == true)
    try await cases.close()
  }

  @Test("a scope that was not declared cannot be opened, and the error names the case")
  func undeclared() async throws {
    let cases = try await cases()
    try await cases.create("a")
    let error = await #expect(throws: HostError.self) {
      _ = try await cases["a"].open(KeyedScope("none", key: Int.self), with: 1)
    }
    #expect(error?.kind == .undeclaredScope("none"))
    #expect(error?.host == "a")
    try await cases.close()
  }
}
