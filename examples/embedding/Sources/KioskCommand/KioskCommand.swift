import Foundation
import Kiosk
import Moonlatch

/// A kiosk on standard input: one action a line; the screen and the answers come out.
///
/// SIGHUP reloads the flow.
@main struct KioskCommand {
  static func main() async {
    guard CommandLine.arguments.count == 2 else { leave("usage: kiosk FLOW", with: 64) }
    do {
      try await serve(URL(filePath: CommandLine.arguments[1]))
    } catch {
      leave("\(error)", with: 2)
    }
  }

  private static func serve(_ flow: URL) async throws {
    let kiosk = try Kiosk(flow: flow, station: DemonstrationStation())
    let reloads = kiosk.reloads(on: SIGHUP)
    let reloading = Task { for await answer in reloads { say(answer) } }
    let display = Task { for try await screen in kiosk.screens { say(line(screen)) } }
    while let line = readLine() { say(try await kiosk.play(line)) }
    reloading.cancel()
    try await kiosk.host.stop()
    try await display.value
  }

  private static func leave(_ message: String, with code: Int32) -> Never {
    FileHandle.standardError.write(Data("kiosk: \(message)\n".utf8))
    exit(code)
  }

  private static func line(_ screen: Screen) -> String {
    let place = screen.order.map { "to \($0)" } ?? "where to?"
    let problem = screen.problem.map { " (\($0))" } ?? ""
    return "[\(screen.state)] \(place), \(screen.sold) sold\(problem)"
  }
}

/// Prices by the letter and prints on standard output.
struct DemonstrationStation: Station {
  struct Unknown: Error, CustomStringConvertible { let description = "nobody goes there" }

  func price(of destination: String) async throws -> Int {
    try await Task.sleep(for: .milliseconds(20))
    if destination == "Atlantis" { throw Unknown() }
    return 100 + 25 * destination.count
  }

  func printTicket(_ number: Int) throws { say("* ticket \(number) *") }
}

/// One line at once, from whatever thread.
private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
