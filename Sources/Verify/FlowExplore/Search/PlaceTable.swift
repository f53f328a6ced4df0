import LuaRuntime

/// A table of the places in the state, by number: each is a key of the place above it, and the root is 0.
struct PlaceTable {
  typealias Number = Int

  private struct Node {
    /// The place above, and the key in it; nil for the root.
    let step: (above: Number, key: StatePath.Key)?
    var fields: [String: Number] = [:]
    /// The elements by index from 1 on, as far as they came in order; `others` holds the rest.
    var elements: [Number] = []
    var others: [Int: Number] = [:]
    var below: [Number] = []
    /// True for a list or a map: its elements or values are interchangeable places.
    var holdsAlike = false
  }

  private var nodes: [Node] = [Node(step: nil)]

  static let root: Number = 0

  func find(_ key: StatePath.Key, in place: Number) -> Number? {
    switch key {
    case .field(let name): return nodes[place].fields[name]
    case .index(let index):
      let elements = nodes[place].elements
      return index > 0 && index <= elements.count
        ? elements[index - 1] : nodes[place].others[index]
    }
  }

  mutating func number(of key: StatePath.Key, in place: Number) -> Number {
    if let known = find(key, in: place) { return known }
    let number = nodes.count
    nodes.append(Node(step: (place, key)))
    nodes[place].below.append(number)
    switch key {
    case .field(let name): nodes[place].fields[name] = number
    case .index(let index) where index == nodes[place].elements.count + 1:
      nodes[place].elements.append(number)
    case .index(let index): nodes[place].others[index] = number
    }
    return number
  }

  /// Returns the numbered places directly below a place, in the order of their numbers.
  func below(_ place: Number) -> [Number] { nodes[place].below }

  /// The number of numbered places.
  var count: Int { nodes.count }

  /// Returns the place above, and the key in it; nil for the root.
  func step(to place: Number) -> (above: Number, key: StatePath.Key)? { nodes[place].step }

  /// Returns the place above; nil for the root.
  func above(_ place: Number) -> Number? { nodes[place].step?.above }

  /// Returns the key of a place within the place above; nil for the root.
  func key(of place: Number) -> StatePath.Key? { nodes[place].step?.key }

  mutating func holdsAlike(_ place: Number) { nodes[place].holdsAlike = true }

  func isAlikeWithin(_ place: Number) -> Bool { nodes[place].holdsAlike }

  func path(of place: Number) -> StatePath {
    var keys: [StatePath.Key] = []
    var at = place
    while let step = nodes[at].step {
      keys.append(step.key)
      at = step.above
    }
    return StatePath(keys.reversed())
  }

  /// Returns a pattern that places with the same kind of content share: the path, with `*` for keys of lists and maps.
  func pattern(of place: Number) -> String {
    var parts: [String] = []
    var at = place
    while let step = nodes[at].step {
      parts.append(nodes[step.above].holdsAlike ? "*" : "\(StatePath([step.key]))")
      at = step.above
    }
    return parts.reversed().joined(separator: "\u{1f}")
  }

  /// Returns the name of a place for people, without the keys of lists and maps: `queue[...].who`.
  func title(of place: Number) -> String {
    var text = ""
    var at = place
    while let step = nodes[at].step {
      let key = nodes[step.above].holdsAlike ? "[...]" : "\(StatePath([step.key]))"
      text = key + (text.isEmpty || text.hasPrefix("[") ? text : ".\(text)")
      at = step.above
    }
    return text.isEmpty ? "the state" : text
  }

  /// Returns true if the place lies in a list or a map.
  func isAmongAlike(_ place: Number) -> Bool {
    var at = place
    while let step = nodes[at].step {
      if nodes[step.above].holdsAlike { return true }
      at = step.above
    }
    return false
  }
}
