public import Moonlatch

/// A window of the kiosk.
///
/// The module belongs to the main actor by default, and so do these types and their coding.
public final class KioskWindow {
  private let host: FlowHost
  /// The lines that the window has shown.
  public private(set) var lines: [String] = []

  /// Makes a window of a kiosk's host.
  public init(of host: FlowHost) { self.host = host }

  /// Orders a ticket, and returns what became of it.
  public func order(_ destination: String) async throws -> String {
    try await host.dispatchAndWait("order", Order(destination: destination)).description
  }

  /// Pays, and returns what became of it.
  public func pay(_ cents: Int) async throws -> String {
    try await host.dispatch("pay", ["cents": cents]).description
  }

  /// The state that the window shows now.
  public func state() async throws -> String {
    let face: Face = try await host.view("screen")
    return face.state
  }

  /// Shows each change, until so many have been shown.
  public func show(_ count: Int) async throws {
    for try await face in host.values(of: "screen", as: Face.self, buffering: .unbounded) {
      lines.append("\(face.state): \(face.order ?? "nowhere")")
      if lines.count == count { return }
    }
  }
}

/// The payload of `order`.
struct Order: Codable {
  var destination: String
}

/// The part of the view `screen` that the window shows.
struct Face: Codable, Equatable {
  var order: String?
  var state: String
}
