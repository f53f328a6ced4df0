import FlowHosting
import FlowKernel
import Logging
import LuaRuntime
import MoonlatchLogging
import MoonlatchTesting
import Platform
import Testing

/// The Swift of the page on embedding, block for block.
@Suite struct EmbeddingSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("Embedding") }

  struct Item: Codable, Equatable {
    var name: String
    var price: Double
  }

  private final class Label: Sendable {
    let shown = Mutex<[String]>([])
    func show(_ value: Result<Value, ViewError>) { shown.withLock { $0.append("\(value)") } }
  }

  private struct Bank {
    func charge(_ total: Double) async throws -> String { "paid \(total)" }
  }

  private struct Catalog {
    func price(of name: String) throws -> Double { name == "tea" ? 3.5 : 4.5 }
  }

  private struct Declined: Error, CustomStringConvertible { let description = "declined" }

  private func lent(
    _ options: HostOptions = HostOptions(clock: .virtual)
  ) throws -> FlowHost {
    let (bank, catalog) = (Bank(), Catalog())
    let host = try FlowHost(flow: URL(filePath: "desk.lua"), options: options) { scopes in
      scopes.root.provide("price", parameters: ["name", "count"]) { (name: String, count: Int?) in
        try catalog.price(of: name) * Double(count ?? 1)
      }
      scopes.root.provide("charge") { (total: Double) async throws in try await bank.charge(total) }
    }
    return host
  }

  @Test("a dispatch gives a commit, a refusal or a failure")
  func dispatching() throws {
    let host = try FlowHost(flow: URL(filePath: "desk.lua"))
    switch try host.dispatch("add", ["name": "tea", "price": 3.5]) {
    case .passed(let commit): print(commit.revision, commit.changes)
    case .refused(let refusal): print(refusal.rejectedBy, refusal.reason ?? "")
    case .failed(let failure): print(failure.kind, failure)
    }
    #expect(desk.printed == [#"1 items[1]: inserted { name = "tea", price = 3.5 }"#])
  }

  @Test("a payload is built from variables, and an outcome has its commit")
  func variables() throws {
    let host = try lent()
    let (name, price) = ("cake", 4.5)
    let commit = try host.dispatch("add", ["name": name, "price": price]).get()
    print(commit.revision, commit.payload)  // 1 { name = "cake", price = 4.5 }
    let full = try host.dispatch("add", ["name": "", "price": price])
    print(full.failure?.kind == .payload)  // true
    try expectPrinted(as: "let commit =")
  }

  @Test("payloads and views can have Swift types")
  func coding() throws {
    let host = try lent()
    try host.dispatch("add", Item(name: "tea", price: 3.5))
    try host.dispatch("add", Item(name: "cake", price: 4))
    let items: [Item] = try host.view("items")
    print(items.count)  // 2
    let note = try host.view("note", as: String.self)
    print(note.isEmpty)  // true
    print(try host.may("add", Item(name: "", price: 1)).isGranted)  // false
    try expectPrinted(as: "let items:")
  }

  @Test("an asynchronous dispatch waits for the effects")
  func waiting() async throws {
    let host = try lent()
    try await host.dispatch("add", Item(name: "tea", price: 3.5))
    let outcome = try await host.dispatchAndWait("pay")
    print(outcome.isPassed)  // true
    print(try await host.view("receipt", as: String.self))  // paid 3.5
    try expectPrinted(as: "let outcome =")
  }

  @Test("a subscriber is notified of changes in the value")
  func subscribing() throws {
    let host = try lent()
    let subscription = try host.subscribe("count", as: Int.self) { count in
      print("count:", (try? count.get()) ?? -1)
    }
    try host.dispatch("add", Item(name: "tea", price: 1))
    try host.dispatch("write", ["text": "no sugar"])  // not told: count stays as it is
    subscription.cancel()
    #expect(desk.printed == ["count: 0", "count: 1"])
  }

  @Test("a subscription ends with its owner")
  func owners() throws {
    let host = try lent()
    let label = Label()
    try host.subscribe("count", owner: label) { label, value in label.show(value) }
    try host.dispatch("add", Item(name: "tea", price: 1))
    #expect(label.shown.withLock { $0.count } == 2)
  }

  @Test("a view is an asynchronous sequence")
  func sequences() async throws {
    let host = try lent()
    try await host.dispatch("add", Item(name: "tea", price: 1))
    try await host.dispatch("add", Item(name: "tea", price: 1))
    for try await count in host.values(of: "count", as: Int.self) {
      print(count)
      if count == 2 { break }
    }
    #expect(desk.printed == ["2"])
  }

  @Test("the messages of a host can be logged")
  func logging() throws {
    let logger = Logger(label: "desk") { _ in SwiftLogNoOpLogHandler() }
    var options = HostOptions()
    options.log(to: logger)
    let host = try FlowHost(flow: URL(filePath: "desk.lua"), options: options)
    try host.logCommits(to: logger)
    #expect(try host.dispatch("add", Item(name: "tea", price: 1)).isPassed)
  }

  private struct Badge: Sendable {
    let name: String
  }

  private final class Log: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    func add(_ line: String) { all.withLock { $0.append(line) } }
  }

  @Test("a host opens a scope itself")
  func hostScope() throws {
    let (log, options) = (Log(), HostOptions(clock: .virtual))
    let staff = KeyedScope("staff", key: Badge.self, actions: ["refund"])
    let host = try FlowHost(flow: URL(filePath: "desk.lua"), options: options) { scopes in
      scopes.declare(staff) { staff in
        staff.provide("pay_out") { (badge: Badge, cents: Int) in log.add("\(badge.name) \(cents)") }
      }
    }
    print(try host.dispatch("refund", ["cents": 250]).isPassed)  // false
    let opening = try host.open(staff, with: Badge(name: "Ann"))
    print(try host.dispatch("refund", ["cents": 250]).isPassed)  // true
    try opening.close()
    try expectPrinted(as: "KeyedScope(")
    #expect(log.lines == ["Ann 250"])
  }

  @Test("a scope can be open with several keys")
  func severalKeys() throws {
    let (log, options) = (Log(), HostOptions(clock: .virtual))
    let staff = KeyedScope("staff", key: Badge.self, actions: ["refund"])
    let host = try FlowHost(flow: URL(filePath: "desk.lua"), options: options) { scopes in
      scopes.declare(staff) { staff in
        staff.provide("pay_out") { (badge: Badge, cents: Int) in log.add("\(badge.name) \(cents)") }
      }
    }
    let ann = try host.open(staff, with: Badge(name: "Ann"))
    let bob = try host.open(staff, with: Badge(name: "Bob"))
    try ann.dispatch("refund", ["cents": 100])
    try host.dispatch("refund", ["cents": 50])
    print(log.lines)  // ["Ann 100", "Bob 50"]
    try bob.close()
    print(try host.may("refund", ["cents": 1]).isGranted)  // true
    try expectPrinted(as: "let ann =")
  }

  @Test("a host adds rules and reducers")
  func natives() throws {
    var options = HostOptions(clock: .virtual)
    options.addGate("small things", for: ["add"]) { _, action in
      try action.payload(as: Item.self).price < 100 ? .passes : .refuses("too dear")
    }
    options.addReducer(for: "add") { state, action in
      try state.set("note", to: "added \(action.payload(as: Item.self).name)")
    }
    let host = try FlowHost(flow: URL(filePath: "desk.lua"), options: options)
    print(try host.dispatch("add", Item(name: "car", price: 9_000)))
    // refused by gate small things: too dear
    print(try host.dispatch("add", Item(name: "tea", price: 1)).isPassed)  // true
    print(try host.view("note"))  // "added tea"
    #expect(
      desk.printed == ["refused by gate small things: too dear", "true", #""added tea""#])
  }

  @Test("a virtual clock advances on request")
  func time() throws {
    let options = HostOptions(clock: .virtual, seed: 7)
    let host = try FlowHost(flow: URL(filePath: "desk.lua"), options: options)
    print(try host.settle())  // [expire is due at 30 min]
    try host.advance(.seconds(30 * 60))
    print(try host.machine("order") ?? "")  // expired
    try expectPrinted(as: "seed: 7")
  }

  @Test("a host shows its pending work, machines, passages and scopes")
  func looking() throws {
    let host = try lent()
    let next = try host.pendingWork[0]
    print(next.kind, next.action, next.due ?? .zero)  // timer expire 1800.0 seconds
    print(try host.machines, try host.passages)  // ["order": "open"] []
    print(try host.openScopes.map(\.name))  // ["root"]
    try expectPrinted(as: "let next =")
  }

  @Test("a host undoes, redoes and reloads")
  func history() throws {
    let host = try lent()
    try host.dispatch("add", Item(name: "tea", price: 1))
    try host.undo()
    print(try host.revision)  // 0
    try host.redo()
    print(try host.commits.map(\.action))  // ["add"]
    try host.reload()
    print(try host.view("count"))  // 1
    try expectPrinted(as: "try host.undo()")
  }

  @Test("one loaded flow serves many hosts")
  func many() throws {
    let flow = try LoadedFlow(URL(filePath: "desk.lua"))
    let hosts = try (0..<100).map { _ in try FlowHost(flow) }
    print(hosts.count)  // 100
    for host in hosts { try host.reload(to: flow) }
    try expectPrinted(as: "LoadedFlow")
  }

  @Test("a host is found by its id")
  func ids() throws {
    let flow = try LoadedFlow(URL(filePath: "desk.lua"))
    let order = try FlowHost(flow, options: HostOptions(id: "order 17", clock: .virtual))
    do { try order.advance(.seconds(-1)) } catch { print(error) }
    // order 17: advance takes 0 or more seconds, not -1.0
    #expect(desk.printed == ["order 17: advance takes 0 or more seconds, not -1.0"])
  }

  @Test("the scenarios pass", arguments: Scenarios(in: "../../../../examples/turnstile"))
  func holds(_ scenario: ScenarioTest) throws { try scenario.run() }

  @Test("a tester states every change, and receives what effects and timers dispatch")
  func testing() async throws {
    let charge = CapabilityStub<String>()
    let tester = try await FlowTester(flow: URL(filePath: "desk.lua")) { scopes in
      scopes.root.provide("charge", charge)
    }
    try await tester.refuse("pay", because: "nothing was ordered")
    try await tester.fail("add", ["name": "", "price": 1], kind: .payload)
    try await tester.send("add", Item(name: "tea", price: 3.5)) {
      $0["items"]?.append(["name": "tea", "price": 3.5])
    }
    try await tester.send("pay") { $0["order"] = "paying" }
    charge.fail(Declined())
    try await tester.receive("payment_failed") {
      $0["problem"] = "charge: declined"
      $0["order"] = "open"
    }
    try await tester.advance(.seconds(30 * 60))
    try await tester.receive("expire") { $0["order"] = "expired" }
    try await tester.finish()
    #expect(charge.calls == [[3.5]])
  }
}

/// The Swift of the catalog's first page.
@Suite struct FrontPageSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("Moonlatch", examples: ["turnstile"]) }

  @Test("the program on the first page runs")
  func program() throws {
    let host = try FlowHost(flow: URL(filePath: "turnstile.lua"))
    switch try host.dispatch("coin", ["amount": 1]) {
    case .passed(let commit): print(commit.changes)  // a line for each change: coins: 0 -> 1
    case .refused(let refusal): print(refusal)  // who, and why
    case .failed(let failure): print(failure)  // file:line, message, traceback
    }
    #expect(desk.printed == ["coins: 0 -> 1\nlocked: true -> false"])
  }
}
