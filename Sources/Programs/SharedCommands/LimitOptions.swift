import ArgumentParser
import FlowLanguage
import LuaRuntime

/// The option for the limits of the flows that a command loads: `--limit microsteps=500`.
package struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Set a limit, such as memory=8000000; may be repeated.",
      discussion: "The page Limits and security lists the names.", valueName: "name=n"),
    transform: LimitSetting.init)
  package var limit: [LimitSetting] = []

  package init() {}

  /// The limits with all settings applied.
  package var limits: Limits { limit.reduce(into: Limits()) { $0[name: $1.name] = $1.value } }
}

/// One limit as an argument: its name in `Limits`, and an integer.
package struct LimitSetting: Sendable {
  package let name: String
  package let value: Int

  init(_ argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    guard Limits.names.contains(name) else {
      throw ValidationError(
        "there is no limit \(name)\(Names.suggestion(for: name, among: Limits.names)); the limits are "
          + Limits.names.joined(separator: ", "))
    }
    let number = parts.count == 2 ? Int(parts[1].replacing("_", with: "")) : nil
    guard let number, number >= 0 else {
      throw ValidationError("the limit \(name) must be a whole number: --limit \(name)=1000")
    }
    value = number
  }
}
