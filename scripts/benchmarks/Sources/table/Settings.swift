import Bench
import Foundation

/// The options of the program; `scripts/bench` gives those of the peers.
struct Settings {
  /// True if the figures are written to the pages.
  var writesPages = false
  /// The commands that run the peers; nil where they are missing.
  var node: String?
  /// The folder of Node's modules that Debian has no packages of.
  var modules: String?
  var python: String?
  /// The Python that has DBOS.
  var dbos: String?
  var scxml: String?
  var elixir: String?
  var luajit: String?
  /// The folder for what is stored durably, on the disk that is measured.
  var disk = NSTemporaryDirectory()
  /// The only measurement of memory to run.
  var hold: Holding?
  /// The collections, and nothing else.
  var collections = false

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      if option == "--check" { continue }
      if option == "--page" {
        writesPages = true
        continue
      }
      if option == "--collections" {
        collections = true
        continue
      }
      guard let value = rest.popFirst() else { throw WrongResult("\(option) takes a value") }
      switch option {
      case "--node": node = value
      case "--modules": modules = value
      case "--python": python = value
      case "--dbos": dbos = value
      case "--scxml": scxml = value
      case "--elixir": elixir = value
      case "--luajit": luajit = value
      case "--disk": disk = value
      case "--hold":
        hold = Holding(rawValue: value)
        if hold == nil { throw WrongResult("there is nothing to hold that is called \(value)") }
      default: throw WrongResult("there is no option \(option)")
      }
    }
  }
}
