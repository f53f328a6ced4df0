public import Foundation
public import Moonlatch

/// A kiosk: the flow decides what may happen, the station does it.
public final class Kiosk: Sendable {
  /// The host that runs the flow.
  public let host: FlowHost

  /// Loads the flow and lends it what the station can do.
  public init(flow: URL, station: some Station, options: HostOptions = HostOptions()) throws {
    host = try FlowHost(flow: flow, options: options) { scopes in
      scopes.root.provide("price") { (destination: String) async throws -> Int in
        try await station.price(of: destination)
      }
      scopes.root.provide("print_ticket") { (number: Int) throws in
        try station.printTicket(number)
      }
    }
  }

  /// The screens, from the present one on; a slow reader misses all but the newest 16.
  public var screens: ViewValues<Screen> { host.values(of: "screen", buffering: .bounded(16)) }

  /// Plays one line, such as `order {"destination": "Rome"}`, waits for what it has set going, and
  /// says what it came to.
  public func play(_ line: String) async throws -> String {
    let parts = line.split(separator: " ", maxSplits: 1)
    guard let action = parts.first else { return "say an action" }
    let payload: Value
    do {
      payload =
        try parts.count > 1 ? JSONDecoder().decode(Value.self, from: Data(parts[1].utf8)) : [:]
    } catch {
      return "the payload of \(action) is not JSON"
    }
    return try await host.dispatchAndWait(String(action), payload).description
  }

  /// Reads the flow again and keeps the state; a faulty one is not taken, and the answer says why.
  public func reload() -> String {
    do {
      try host.reload()
      return "reloaded"
    } catch {
      return "the old flow keeps running: \(error)"
    }
  }
}
