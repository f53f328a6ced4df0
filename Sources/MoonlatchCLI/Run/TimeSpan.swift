import ArgumentParser

/// A length of time as an argument: `5`, `5s`, `500ms`, `2m`, `1h`.
struct TimeSpan: ExpressibleByArgument {
  let duration: Duration

  init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let units = ["": 1.0, "s": 1, "ms": 0.001, "m": 60, "h": 3600]
    guard let number = Double(digits), let unit = units[String(argument[digits.endIndex...])],
      number > 0, number * unit < 1e9
    else { return nil }
    duration = .seconds(number * unit)
  }
}
