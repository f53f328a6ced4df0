import FlowExplore
import FlowLanguage
import Foundation
import LuaRuntime
import Testing

/// An exploration file beside its flow, in a folder that goes with the value.
final class Explored {
  private let folder: URL

  /// A door with a counter, and all that an option can name.
  static let flow = """
    state { open = false, times = 0, log = list {} }
    action.open { by = integer { min = 1, max = 2 } }
    action.shut {}
    action.paint { color = string {} }
    internal.loaded { n = integer {} }
    function reduce.open(s) s.open = true; s.times = s.times + 1 end
    function reduce.shut(s) s.open = false end
    """

  /// A counter up to three, and back to nothing.
  static let counter = """
    state { n = 0, seen = false }
    action.up { by = integer { min = 1, max = 2 } }
    action.reset {}
    function gate.up(s, a) return s.n + a.by <= 3, "that is too much" end
    function reduce.up(s, a) s.n = s.n + a.by; if s.n == 2 then s.seen = true end end
    function gate.reset(s) return s.n == 3, "it is not full" end
    function reduce.reset(s) s.n = 0 end
    """

  init(_ flow: String, _ text: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "moonlatch-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try flow.write(to: folder.appending(path: "flow.lua"), atomically: true, encoding: .utf8)
    try "flow \"flow.lua\"\n\(text)".write(to: file, atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var file: URL { folder.appending(path: "a.explore.lua") }

  /// Writes another file beside the flow.
  func write(_ text: String, to name: String) throws {
    try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
  }

  func explorations() throws -> [Exploration] { try ExplorationFile(file).explorations() }

  /// The report of the only exploration of a text, which begins on line 2.
  static func report(_ text: String, of flow: String = counter) throws -> ExplorationReport {
    let explored = try Explored(flow, text)
    return try #require(try explored.explorations().first).run()
  }

  /// All that is wrong, a line each, or what ended the exploration.
  static func faults(_ text: String, of flow: String = Explored.flow) throws -> [String] {
    let explored = try Explored(flow, text)
    do {
      for exploration in try explored.explorations() { _ = try exploration.run() }
      return []
    } catch let error as FlowError {
      return error.faults.map(\.description)
    } catch let error as ExplorationError {
      return [error.description]
    } catch let error as ScriptError {
      return [error.summary]
    }
  }
}
