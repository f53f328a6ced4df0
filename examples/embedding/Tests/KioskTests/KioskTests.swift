import Foundation
import Kiosk
import Moonlatch
import MoonlatchTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct KioskTests {
  private static let flow = URL(filePath: #filePath)
    .appending(path: "../../../Flows/kiosk.lua").standardizedFileURL

  @Test("every scenario of the flow holds", arguments: Scenarios(in: "../../Flows"))
  func scenario(_ scenario: ScenarioTest) throws { try scenario.run() }

  @Test("the explorations hold", arguments: Explorations(in: "../../Flows"))
  func explored(_ exploration: ExplorationTest) throws { try exploration.run() }

  @Test("a ticket is priced, paid and printed, and the screen shows each step")
  func ticket() async throws {
    let station = FakeStation()
    let kiosk = try Kiosk(flow: Self.flow, station: station)
    var screens = kiosk.screens.makeAsyncIterator()
    #expect(try await kiosk.play(#"order {"destination": "Rome"}"#) == "order passed (#1)")
    #expect(try await kiosk.play(#"pay {"cents": 1}"#).contains("not enough"))
    #expect(try await kiosk.play(#"pay {"cents": 250}"#) == "pay passed (#3)")
    #expect(station.printed.withLock { $0 } == [1])
    var states: [String?] = []
    for _ in 1...4 { states.append(try await screens.next()?.state) }
    #expect(states == ["idle", "pricing", "paying", "idle"])
  }

  @Test("what a capability throws is on the screen; the sale stands")
  func jam() async throws {
    let kiosk = try Kiosk(flow: Self.flow, station: FakeStation(isJammed: true))
    _ = try await kiosk.play(#"order {"destination": "Rome"}"#)
    _ = try await kiosk.play(#"pay {"cents": 250}"#)
    let screen = try await kiosk.host.view("screen", as: Screen.self)
    #expect(screen.sold == 1)
    #expect(screen.problem?.contains("print_ticket: paper jam") == true)
  }

  @Test(
    "what is no action is answered",
    arguments: [
      ("", "say an action"), ("pay {", "the payload of pay is not JSON"),
      ("pya", "there is no action pya; did you mean pay?"),
      ("pay {}", "action pay: cents must be an integer"),
    ])
  func mistaken(line: String, answer: String) async throws {
    let kiosk = try Kiosk(flow: Self.flow, station: FakeStation())
    #expect(try await kiosk.play(line).contains(answer))
  }

  @Test("a signal reloads the flow and keeps the state; a faulty flow is not taken")
  func reload() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).lua")
    defer { try? FileManager.default.removeItem(at: file) }
    let text = try String(contentsOf: Self.flow, encoding: .utf8)
    try text.write(to: file, atomically: true, encoding: .utf8)
    let kiosk = try Kiosk(flow: file, station: FakeStation())
    var reloads = kiosk.reloads(on: SIGHUP).makeAsyncIterator()
    _ = try await kiosk.play(#"order {"destination": "Rome"}"#)
    try "state {".write(to: file, atomically: true, encoding: .utf8)
    kill(getpid(), SIGHUP)
    #expect(await reloads.next()?.hasPrefix("the old flow keeps running: ") == true)
    try text.replacing("that is not enough", with: "more, please")
      .write(to: file, atomically: true, encoding: .utf8)
    kill(getpid(), SIGHUP)
    #expect(await reloads.next() == "reloaded")
    #expect(try await kiosk.play(#"pay {"cents": 1}"#).contains("more, please"))
  }
}
