import JournalTesting
import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Cases that are loaded, used and unloaded.
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
    in journal: any JournalStorage, most: Int = 1_000, door: Door = Door()
  ) async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: Self.flow), in: journal, options: HostOptions(report: { _ in }),
      maximumActive: most
    ) { $0.root.provide("slow") { () async throws in await door.pass() } }
  }

  @Test("a creation that another node has stored meanwhile, with the same key, is answered alike")
  func overtakenCreation() async throws {
    let journal = BlockedJournal()
    let cases = try await cases(in: journal)
    journal.overtakeBirth()
    let one = try await cases.create("c", given: ["n": 5], key: "k")
    #expect(try await one.dispatch("bump").isPassed)
    #expect(try await one.view("n") == 6)
    journal.overtakeBirth()
    try await cases.create("d", key: "k")
    let other = await #expect(throws: JournalError.self) {
      try await cases.create("d", given: ["n": 5], key: "k")
    }
    #expect(other?.kind == .keyReused)
    try await cases.close()
  }

  @Test("closing resumes all tasks that wait for a case being loaded, and leaves none loaded")
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

  @Test("cases that another node takes over are released, also while they are being loaded")
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

  @Test("64 concurrent clients of 8 kinds get their answers, and none gets another's error")
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

  @Test("busy cases may exceed the limit of loaded cases, and are unloaded once they are idle")
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

  @Test("requests wait for a free slot in order, and fail when the cases are closed")
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

  @Test("a case can be created while readers ask for it, who get the state or an error")
  func createdMeanwhile() async throws {
    let journal = BlockedJournal()
    let cases = try await cases(in: journal)
    // A reader is there first: there is no case yet.
    journal.block(.activate)
    let early = Task { try await cases["a"].view("n") }
    while journal.waiting == 0 { await Task.yield() }
    let creating = Task { try await cases.create("a") }
    for _ in 0..<20 { await Task.detached { await Task.yield() }.value }
    journal.release()
    _ = try await creating.value
    let error = await #expect(throws: JournalError.self) { try await early.value }
    #expect(error?.kind == .unknownCase)
    // Whoever creates it is there first.
    journal.block(.activate)
    let creatingNext = Task { try await cases.create("b") }
    while journal.waiting == 0 { await Task.yield() }
    let readers = (0..<8).map { _ in Task { try await cases["b"].view("n") } }
    for _ in 0..<20 { await Task.detached { await Task.yield() }.value }
    journal.release()
    _ = try await creatingNext.value
    for reader in readers { #expect(try await reader.value == 0) }
    try await cases.close()
  }

  @Test("an activation elsewhere costs a case one error, and no acknowledged entry")
  func activatedElsewhere() async throws {
    let journal = MemoryJournal()
    let first = try await cases(in: journal)
    try await first.create("c")
    try await first["c"].dispatch("bump")
    _ = try journal.activate("c")
    let error = await #expect(throws: JournalError.self) { try await first["c"].dispatch("bump") }
    #expect(error?.kind == .fenced)
    try await first["c"].dispatch("bump")
    #expect(try await first["c"].view("n") == 2)
    // Two that take it from each other all the time.
    let second = try await cases(in: journal)
    let surprises = await withTaskGroup(of: [String].self) { group in
      for client in 0..<6 {
        group.addTask {
          var (passed, surprises): (Int, [String]) = (0, [])
          while passed < 20 {
            do {
              if try await [first, second][client % 2]["c"].dispatch("bump").isPassed {
                passed += 1
              }
            } catch let error as JournalError where error.kind == .fenced {
              await Task.yield()
            } catch {
              surprises.append("\(error)")
              break
            }
          }
          return surprises
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(surprises == [])
    for cases in [first, second] {
      try await cases.close()
    }
    #expect(try await self.cases(in: journal)["c"].view("n") == 122)
  }

  @Test("capabilities may call their own case and other cases")
  func ring() async throws {
    let place = Mutex<Cases?>(nil)
    let cases = try await Cases(
      of: LoadedFlow(source: Self.flow), in: MemoryJournal(),
      options: HostOptions(report: { _ in }), maximumActive: 2
    ) {
      $0.root.provide("slow") { (call: CallID) async throws in
        guard let cases = place.withLock({ $0 }) else { return }
        try await cases[call.case].dispatch("bump")
        try await cases[call.case == "a" ? "b" : "a"].dispatch("bump")
        _ = try await cases[call.case].view("n")
      }
    }
    place.withLock { $0 = cases }
    for id in ["a", "b"] { try await cases.create(id) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in ["a", "b", "a", "b", "a", "b"] {
        group.addTask { try await cases[id].dispatch("go") }
      }
      try await group.waitForAll()
    }
    // Of each three calls, with a bump for their own case and one for the other.
    for id in ["a", "b"] {
      while try await cases[id].view("n") != 306 { await Task.yield() }
    }
    place.withLock { $0 = nil }
    try await cases.close()
  }

  @Test("closing during dispatches loses no acknowledged entry, and ends them all")
  func closingBeneath() async throws {
    for round in 1...5 {
      let journal = BlockedJournal()
      journal.completeFromTasks()
      let cases = try await cases(in: journal)
      for number in 0..<8 { try await cases.create("c\(number)") }
      let passed = (0..<8).map { _ in Count() }
      let clients = (0..<8).map { number in
        Task {
          while true {
            try await cases["c\(number)"].dispatch("bump")
            passed[number].add()
          }
        }
      }
      while passed.reduce(0, { $0 + $1.now }) < 10 * round { await Task.yield() }
      try await cases.close()
      for client in clients {
        let error = await #expect(throws: JournalError.self) { try await client.value }
        #expect(error?.kind == .closed)
      }
      #expect(cases.active == 0)
      let next = try await self.cases(in: journal)
      for (number, count) in passed.map(\.now).enumerated() {
        let n = try await next["c\(number)"].view("n", as: Int.self)
        // The last one may have been stored without its answer.
        #expect((count...count + 1).contains(n))
      }
      try await next.close()
    }
  }

  @Test("closing throws if pending entries cannot be stored, and still closes")
  func closingFails() async throws {
    let journal = BlockedJournal()
    let cases = try await cases(in: journal)
    for id in ["a", "b"] {
      try await cases.create(id)
      try await cases[id].dispatch("bump")
    }
    // An earlier failure was reported to its caller.
    journal.base.fail(
      append: journal.base.appends + 1, .before(JournalError(.failed, "the disk is gone")))
    await #expect(throws: JournalError.self) { try await cases["a"].dispatch("bump") }
    journal.base.fail(
      append: journal.base.appends + 1, .before(JournalError(.full, "the disk is full")))
    journal.block(.append)
    let dispatch = Task { try await cases["b"].dispatch("bump") }
    while journal.waiting == 0 { await Task.yield() }
    let closing = Task { try await cases.close() }
    while !cases.isClosed { await Task.yield() }
    journal.release()
    for task in [Task { _ = try await dispatch.value }, closing] {
      let error = await #expect(throws: JournalError.self) { try await task.value }
      #expect(error?.kind == .full)
    }
    #expect(cases.active == 0)
    let next = try await self.cases(in: journal)
    for id in ["a", "b"] { #expect(try await next[id].view("n") == 1) }
    try await next.close()
  }

  @Test("closing waits for the calls of all cases together, and cancels the others")
  func draining() async throws {
    let (journal, door) = (MemoryJournal(), Door())
    let cases = try await cases(in: journal, door: door)
    for number in 0..<16 {
      try await cases.create("c\(number)")
      try await cases["c\(number)"].dispatch("go")
    }
    let closing = Task { try await cases.close(draining: .seconds(60)) }
    while !cases.isClosed { await Task.yield() }
    door.open()
    try await closing.value
    let closed = Door()
    let next = try await self.cases(in: journal, door: closed)
    for number in 0..<16 {
      #expect(try await next["c\(number)"].view("n") == 100)
      try await next["c\(number)"].dispatch("go")
    }
    try await next.close()
    closed.open()
    let last = try await self.cases(in: journal)
    for number in 0..<16 { #expect(try await last["c\(number)"].view("n") == 100) }
    try await last.close()
  }

  @Test("cancelling a task leaves its dispatch done or not done, and cancels no call of the flow")
  func cancelled() async throws {
    let door = Door()
    let (begun, cancelled) = (Count(), Count())
    let cases = try await Cases(
      of: LoadedFlow(source: Self.flow), in: BlockedJournal(),
      options: HostOptions(report: { _ in })
    ) {
      $0.root.provide("slow") { () async throws in
        begun.add()
        await door.pass()
        if Task.isCancelled { cancelled.add() }
      }
    }
    for number in 0..<8 { try await cases.create("c\(number)") }
    let tasks = (0..<64).map { number in
      let task = Task { try await cases["c\(number % 8)"].dispatch("go").isPassed }
      if number % 2 == 0 { task.cancel() }
      return task
    }
    var passed = 0
    for (number, task) in tasks.enumerated() {
      do {
        if try await task.value { passed += 1 }
      } catch {
        #expect(error is CancellationError && number % 2 == 0)
      }
    }
    #expect(passed >= 32)
    door.open()
    func sum() async throws -> Int {
      var sum = 0
      for number in 0..<8 { sum += try await cases["c\(number)"].view("n", as: Int.self) }
      return sum
    }
    while try await sum() < passed * 100 { await Task.yield() }
    #expect(begun.now == passed && cancelled.now == 0)
    #expect(try await sum() == passed * 100)
    try await cases.close()
  }
}
