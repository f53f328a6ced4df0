import Moonlatch

/// Places of the state by number: each is a key of the place above it, the root is 0.
struct PlaceTable {
  typealias Number = Int

  private struct Step: Hashable {
    let above: Number
    let key: StatePath.Key
  }

  private var numbers: [Step: Number] = [:]
  private var steps: [Step?] = [nil]
  /// What has a number below each place, in the order in which it came.
  private(set) var below: [[Number]] = [[]]
  /// Whether what stands there are the elements of a list or the values of a map, which are alike.
  private var holdsAlike: [Bool] = [false]

  static let root: Number = 0

  func find(_ key: StatePath.Key, in place: Number) -> Number? {
    numbers[Step(above: place, key: key)]
  }

  mutating func number(of key: StatePath.Key, in place: Number) -> Number {
    let step = Step(above: place, key: key)
    if let known = numbers[step] { return known }
    let number = steps.count
    numbers[step] = number
    steps.append(step)
    below.append([])
    holdsAlike.append(false)
    below[place].append(number)
    return number
  }

  /// The place in which it is one; nil for the root.
  func above(_ place: Number) -> Number? { steps[place]?.above }

  mutating func holdsAlike(_ place: Number) { holdsAlike[place] = true }

  func path(of place: Number) -> StatePath {
    var keys: [StatePath.Key] = []
    var at = place
    while let step = steps[at] {
      keys.append(step.key)
      at = step.above
    }
    return StatePath(keys.reversed())
  }

  /// What places have in common that hold the same kind of thing: their paths, with `*` for keys of what is alike.
  func pattern(of place: Number) -> String {
    var parts: [String] = []
    var at = place
    while let step = steps[at] {
      parts.append(holdsAlike[step.above] ? "*" : "\(StatePath([step.key]))")
      at = step.above
    }
    return parts.reversed().joined(separator: "\u{1f}")
  }

  /// Whether a place lies in something whose parts are alike.
  func isAmongAlike(_ place: Number) -> Bool {
    var at = place
    while let step = steps[at] {
      if holdsAlike[step.above] { return true }
      at = step.above
    }
    return false
  }
}
