import Bench

/// The options of the program; `scripts/bench` gives those of the peers.
struct Settings {
  /// True if the figures are written to the pages.
  var writesPages = false
  /// The commands that run the peers; nil where they are missing.
  var node: String?
  var python: String?
  var scxml: String?
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
      case "--python": python = value
      case "--scxml": scxml = value
      case "--hold":
        hold = Holding(rawValue: value)
        if hold == nil { throw WrongResult("there is nothing to hold that is called \(value)") }
      default: throw WrongResult("there is no option \(option)")
      }
    }
  }
}
