import Foundation
import Moonlatch
import MoonlatchTesting
import Testing

/// The kiosk's flow, step by step, with stubs of the station and a virtual clock.
@Suite(.timeLimit(.minutes(1))) struct KioskFlowTests {
  private struct Jam: Error, CustomStringConvertible { let description = "paper jam" }

  private static let flow = URL(filePath: #filePath)
    .appending(path: "../../../Flows/kiosk.lua").standardizedFileURL

  private let price = CapabilityStub<Int>()
  private let printer = CapabilityStub<Bool>()

  /// A test of the flow, in which a customer is to pay 250 cents for a ticket to Rome.
  private func paying() async throws -> FlowTester<FlowHost> {
    let (price, printer) = (price, printer)
    let tester = try await FlowTester(flow: Self.flow) { scopes in
      scopes.root.provide("price", price)
      scopes.root.provide("print_ticket", printer)
    }
    try await tester.send("order", ["destination": "Rome"]) {
      $0["order"] = "Rome"
      $0["kiosk"] = "pricing"
    }
    price.answer(250)
    try await tester.receive("priced", ["cents": 250]) {
      $0["price"] = 250
      $0["kiosk"] = "paying"
    }
    return tester
  }

  @Test("a sale changes what it should, and asks the station for one price and one ticket")
  func sale() async throws {
    let tester = try await paying()
    try await tester.refuse("pay", ["cents": 1], because: "that is not enough")
    try await tester.send("pay", ["cents": 250]) {
      $0["order"] = nil
      $0["sold"] = 1
      $0["kiosk"] = "idle"
    }
    printer.answer(true)
    try await tester.finish()
    #expect(price.calls == [["Rome"]])
    #expect(printer.calls == [[1]])
  }

  @Test("a jam of the printer is received, and stays on the screen")
  func jam() async throws {
    let tester = try await paying()
    try await tester.send("pay", ["cents": 300]) {
      $0["order"] = nil
      $0["sold"] = 1
      $0["kiosk"] = "idle"
    }
    printer.fail(Jam())
    try await tester.receive("jammed") { $0["problem"] = "print_ticket: paper jam" }
    try await tester.finish()
  }

  @Test("a customer who does not pay within a minute loses the order")
  func late() async throws {
    let tester = try await paying()
    try await tester.advance(.seconds(60))
    try await tester.receive("cancel") {
      $0["order"] = nil
      $0["kiosk"] = "idle"
    }
    try await tester.finish()
  }
}
