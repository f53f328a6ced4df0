/// The functions and methods of ECMAScript that expressions of documents may call.
///
/// Their definitions are in `ecmascript.lua`; the page about SCXML lists them.
enum ECMAScriptWords {
  static let otherCall = "it calls a function that is not supported"

  static let libraries: Set<String> = ["Math", "JSON", "Number", "Array", "Object"]

  static let functions: Set<String> = [
    "Number", "String", "Boolean", "isNaN", "isFinite", "parseInt", "parseFloat",
    "Math.abs", "Math.ceil", "Math.floor", "Math.max", "Math.min", "Math.pow", "Math.random",
    "Math.round", "Math.sign", "Math.sqrt", "Math.trunc", "JSON.parse", "JSON.stringify",
    "Number.isFinite", "Number.isInteger", "Number.isNaN", "Array.isArray", "Object.keys",
  ]

  static let constants = [
    "PI": "3.141592653589793", "E": "2.718281828459045", "LN2": "0.6931471805599453",
    "LN10": "2.302585092994046", "SQRT2": "1.4142135623730951",
  ]

  static let methods: Set<String> = [
    "charAt", "charCodeAt", "concat", "endsWith", "includes", "indexOf", "join", "lastIndexOf",
    "padEnd", "padStart", "repeat", "replace", "replaceAll", "slice", "split", "startsWith",
    "substr", "substring", "toFixed", "toLowerCase", "toString", "toUpperCase", "trim", "trimEnd",
    "trimStart",
  ]

  /// The methods that change an array.
  static let changing: Set<String> = ["push", "pop", "shift", "unshift"]
}
