import ArgumentParser
import LuaRuntime

/// The limits of the flows that a command loads: `--limit microsteps=500`.
package struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Another limit than the default, such as memory=8000000; may be repeated.",
      discussion: "The names are those of the page Limits and security.", valueName: "name=n"))
  package var limit: [LimitSetting] = []

  package init() {}

  /// The limits that hold.
  package var limits: Limits { limit.reduce(into: Limits()) { $0[name: $1.name] = $1.value } }
}

/// One limit, as it is written: its name in `Limits`, and a whole number.
package struct LimitSetting: ExpressibleByArgument, Sendable {
  package let name: String
  package let value: Int

  package init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, Limits.names.contains(String(parts[0])),
      let value = Int(parts[1].replacing("_", with: "")), value >= 0
    else { return nil }
    (name, self.value) = (String(parts[0]), value)
  }
}
