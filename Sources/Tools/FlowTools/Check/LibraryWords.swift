/// The globals of flows and scenarios, and the replacements for those that are missing.
enum LibraryWords {
  static let base: Set<String> = [
    "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "print", "rawequal",
    "rawget", "rawlen", "rawset", "require", "select", "setmetatable", "tonumber", "tostring",
    "type", "xpcall",
    "_VERSION",
  ]

  /// The members of Lua's libraries.
  static let libraries: [String: Set<String>] = [
    "string": [
      "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack",
      "packsize", "rep", "reverse", "sub", "unpack", "upper",
    ],
    "table": [
      "all", "any", "choice", "concat", "copy", "count", "filter", "find", "insert", "map", "move",
      "pack", "remove", "shuffle", "sort", "sum", "unpack",
    ],
    "math": [
      "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log",
      "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "random", "sin", "sqrt", "tan",
      "tointeger", "type", "ult",
    ],
    "utf8": ["char", "charpattern", "codepoint", "codes", "len", "offset"],
    "coroutine": ["create", "isyieldable", "resume", "running", "status", "wrap", "yield"],
  ]

  private static let shared: Set<String> =
    base.union(libraries.keys).union(["list", "map", "none", "now", "random", "date", "born"])

  static let flow = shared.union([
    "state", "action", "internal", "reduce", "gate", "view", "invariant", "gatekeeper", "machine",
    "scope", "effect", "migrate", "version", "flow_name", "boolean", "integer", "number", "any",
    "one_of",
    "list_of", "map_of",
    "optional", "dispatch", "may", "sleep", "after", "cancel", "all", "race", "retry", "in_state",
    "count_in", "all_in", "by", "revised",
  ])

  /// The globals of expressions and scripts in documents.
  static let document = shared.subtracting(["require"]).union([
    "In", "_event", "_sessionid", "_name", "_ioprocessors", "_x",
  ])

  static let scenario = shared.union([
    "flow", "scenario", "before_each", "after_each", "pass", "inside", "refuse", "fail", "expect",
    "any", "near", "match", "contains", "one_of", "given", "advance", "settle", "restart", "stub",
    "as", "finish",
    "dispatch",
    "may", "view", "gatekeeper", "sleep",
    "snapshot", "in_state", "count_in", "all_in", "all", "race", "retry",
  ])

  /// The words that make sense only in a call.
  static let called: Set<String> = [
    "now", "born", "random", "sleep", "settle", "advance", "in_state", "count_in", "all_in",
    "by", "revised",
  ]

  /// The words that declare something.
  static let declaring: Set<String> = [
    "state", "action", "internal", "reduce", "gate", "invariant", "machine", "scope", "effect",
    "migrate", "version", "flow_name",
  ]

  /// The result kinds of functions.
  static let results: [String: Shape.Kind] = [
    "tostring": .string, "type": .string, "now": .number, "born": .number,
    "in_state": .boolean, "all_in": .boolean, "revised": .boolean, "count_in": .integer,
    "rawequal": .boolean, "rawlen": .integer, "_VERSION": .string,
    "string.format": .string, "string.sub": .string, "string.upper": .string,
    "string.lower": .string, "string.rep": .string, "string.reverse": .string,
    "string.gsub": .string, "string.char": .string, "string.len": .integer,
    "table.concat": .string, "table.count": .integer, "table.any": .boolean, "table.all": .boolean,
    "table.sum": .number, "math.floor": .integer, "math.ceil": .integer, "math.pi": .fraction,
    "math.sqrt": .fraction, "math.sin": .fraction, "math.cos": .fraction, "math.exp": .fraction,
    "math.log": .fraction, "utf8.char": .string,
  ]

  /// The functions that draw random numbers.
  static let drawing: Set<String> = ["random", "math.random", "table.shuffle", "table.choice"]

  /// The words that may be used in effects only.
  static let ofEffects: Set<String> = [
    "dispatch", "sleep", "after", "cancel", "all", "race", "retry", "may", "revised",
  ]

}
