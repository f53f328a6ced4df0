import Synchronization
import Testing

@testable import Moonlatch

/// Cases that are woken, used and put to sleep.
@Suite(.timeLimit(.minutes(2))) struct CasesWakingTests {
  private static let flow = """
    state { n = 0 }
    action.bump {}
    action.go {}
    internal.done {}
    function reduce.bump(s) s.n = s.n + 1 end
    function reduce.done(s) s.n = s.n + 100 end
    function effect.go(self) self:slow() dispatch.done() end
    function view.n(s) return s.n end
    function invariant.small(s) return s.n < 1000 end
    """

  /// The door that calls of the capability `slow` wait for.
  private final class Door: Sendable {
    private let isOpen = Mutex(false)
    func open() { isOpen.withLock { $0 = true } }
    func pass() async { while !isOpen.withLock({ $0 }) { await Task.yield() } }
  }

  private func cases(
    in journal: any Journal, most: Int = 1_000, door: Door = Door()
  ) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: Self.flow), in: journal, options: HostOptions(report: { _ in }),
      maximumActive: most
    ) { $0.root.provide("slow") { () async throws in await door.pass() } }
  }

  @Test("closing resumes all who wait for a case that is being woken, and leaves none awake")
  func closing() async throws {
    let journal = BlockedJournal()
    let first = try await cases(in: journal)
    try await first.create("c")
    try await first.close()
    for _ in 0..<20 {
      let cases = try await cases(in: journal)
      journal.block(.activate)
      let readers = (0..<16).map { _ in Task { try await cases["c"].view("n") } }
      while journal.waiting == 0 { await Task.yield() }
      let closing = Task { try await cases.close() }
      while !cases.isClosed { await Task.yield() }
      journal.release()
      try await closing.value
      for reader in readers {
        let error = await #expect(throws: JournalError.self) { try await reader.value }
        #expect(error?.kind == .closed)
      }
      #expect(cases.active == 0)
    }
  }

  @Test("cases that another node gets are let go, those that are just being woken too")
  func lettingGo() async throws {
    let journal = BlockedJournal()
    let first = try await cases(in: journal)
    try await first.create("c")
    try await first.close()
    let cases = try await cases(in: journal)
    journal.block(.activate)
    let reader = Task { try await cases["c"].view("n") }
    while journal.waiting == 0 { await Task.yield() }
    let gone = cases.letGo { $0 == "c" }
    journal.release()
    let error = await #expect(throws: JournalError.self) { try await reader.value }
    #expect(error?.kind == .fenced)
    await gone.value
    #expect(cases.active == 0)
    #expect(try await cases["c"].view("n") == 0)
    try await cases.close()
  }

  @Test("64 clients of 8 kinds get what they asked for, and no error of one another")
  func manyClients() async throws {
    let journal = BlockedJournal()
    let cases = try await cases(in: journal, most: 4)
    try await cases.create("known")
    let surprises = await withTaskGroup(of: [String].self) { group in
      for client in 0..<64 {
        group.addTask {
          var surprises: [String] = []
          for round in 0..<20 {
            let answer = await Self.ask(cases, as: client, round)
            let expected = ["", "", "unknownCase", "knownCase", "misfit", "", "", ""][client % 8]
            if answer != expected { surprises.append("client \(client): \(answer)") }
          }
          return surprises
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(surprises == [])
    try await cases.close()
  }

  /// Asks as one of 8 kinds of clients.
  ///
  /// - Returns: the kind of its error; nothing if there is none.
  private static func ask(_ cases: Cases, as client: Int, _ round: Int) async -> String {
    do {
      switch client % 8 {
      case 0: try await cases.create("own-\(client)-\(round)")
      case 1: _ = try await cases["known"].view("n")
      case 2: _ = try await cases["shared-\(round)"].view("n")
      case 3: try await cases.create("known")
      case 4: try await cases.create("shared-\(round)", given: ["n": 5_000])
      case 5: _ = try await cases["known"].state()
      case 6: _ = try await cases["known"].may("bump")
      default: _ = try await cases.list(limit: 3)
      }
      return ""
    } catch let error as JournalError {
      return "\(error.kind)"
    } catch is DispatchFailure {
      return "misfit"
    } catch {
      return "\(error)"
    }
  }

  @Test("no more cases are awake than may be, and those that were busy sleep once they are not")
  func burst() async throws {
    let door = Door()
    let cases = try await cases(in: MemoryJournal(), most: 5, door: door)
    for number in 0..<40 {
      try await cases.create("c\(number)")
      // Each has a call under way, which lives in memory alone.
      try await cases["c\(number)"].dispatch("go")
    }
    #expect(cases.active == 40)
    door.open()
    for number in 0..<40 {
      while try await cases["c\(number)"].view("n") != 100 { await Task.yield() }
    }
    while cases.active > 5 { await Task.yield() }
    for number in 0..<40 { try await cases["c\(number)"].dispatch("bump") }
    while cases.active > 5 { await Task.yield() }
    try await cases.close()
    #expect(cases.active == 0)
  }

  @Test("requests wait for a place in order, and are told when the cases are closed")
  func places() async throws {
    let journal = BlockedJournal()
    let cases = try await cases(in: journal, most: 1)
    for id in ["a", "b"] { try await cases.create(id) }
    journal.block(.append, of: "a")
    let busy = Task { try await cases["a"].dispatch("bump") }
    while journal.waiting == 0 { await Task.yield() }
    let waiting = Task { try await cases["b"].view("n") }
    journal.release()
    #expect(try await busy.value.isPassed)
    #expect(try await waiting.value == 0)
    try await cases.close()
    let error = await #expect(throws: JournalError.self) { try await cases["b"].view("n") }
    #expect(error?.kind == .closed)
  }
}
