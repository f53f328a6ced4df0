/// The arguments that a function of the language or of a library takes.
struct LibraryArity {
  /// The names of its parameters, for messages.
  let parameters: [String]
  /// The number of arguments without which the function always fails.
  let least: Int

  private init(_ parameters: String, least: Int = 0) {
    self.parameters = parameters.split(separator: " ").map(String.init)
    self.least = least
  }

  /// The functions that take a fixed number of arguments, by their names.
  static let all: [String: LibraryArity] = [
    "now": .init(""), "born": .init(""), "by": .init(""), "random": .init("from to"),
    "date": .init("seconds"), "sleep": .init("seconds"), "after": .init("seconds name payload"),
    "in_state": .init("s state", least: 2), "count_in": .init("s state", least: 2),
    "all_in": .init("s state", least: 2),
    "list": .init("elements"), "map": .init("entries"), "list_of": .init("type"),
    "map_of": .init("type"), "optional": .init("type"),
    "ipairs": .init("list", least: 1), "pairs": .init("table", least: 1),
    "tonumber": .init("value base", least: 1), "tostring": .init("value", least: 1),
    "type": .init("value", least: 1), "require": .init("name", least: 1),
    "math.abs": .init("x", least: 1), "math.ceil": .init("x", least: 1),
    "math.floor": .init("x", least: 1), "math.fmod": .init("x y", least: 2),
    "math.random": .init("from to"), "math.sqrt": .init("x", least: 1),
    "math.tointeger": .init("x", least: 1),
    "string.find": .init("text pattern from plain", least: 2),
    "string.gmatch": .init("text pattern from", least: 2),
    "string.gsub": .init("text pattern replacement most", least: 3),
    "string.len": .init("text", least: 1), "string.lower": .init("text", least: 1),
    "string.match": .init("text pattern from", least: 2),
    "string.rep": .init("text count separator", least: 2),
    "string.reverse": .init("text", least: 1), "string.sub": .init("text from to", least: 2),
    "string.upper": .init("text", least: 1),
    "table.all": .init("t f", least: 2), "table.any": .init("t f", least: 2),
    "table.choice": .init("list", least: 1),
    "table.concat": .init("list separator from to", least: 1),
    "table.copy": .init("value", least: 1), "table.count": .init("t", least: 1),
    "table.filter": .init("t f", least: 2), "table.find": .init("t f", least: 2),
    "table.insert": .init("list place value", least: 2), "table.map": .init("t f", least: 2),
    "table.remove": .init("list place", least: 1), "table.shuffle": .init("list", least: 1),
    "table.sort": .init("list f", least: 1), "table.sum": .init("t f", least: 1),
  ]
}
