/// What an action does to one gatekeeper, with the options that its table names ready to be looked up.
final class GatekeeperEntry: Sendable {
  enum Options: Sendable {
    case known([KeeperOption])
    case all
    case workedOut(FlowFunction)
  }

  let keeper: Int
  let name: String
  /// `gatekeeper phase`: under this name readers depend on it.
  let title: String
  let unless: Options
  let reset: Options
  let attempt: Options

  /// Nil where the gatekeeper has no entry for the action.
  init?(of action: String, in policy: KeeperPolicy, index: Int) {
    guard let entry = policy.entries[action] else { return nil }
    keeper = index
    name = policy.name
    title = policy.title
    unless = GatekeeperEntry.options(entry.unless, of: policy.name)
    reset = GatekeeperEntry.options(entry.reset, of: policy.name)
    attempt = GatekeeperEntry.options(entry.attempt, of: policy.name)
  }

  private static func options(_ choice: KeeperPolicy.Choice?, of keeper: String) -> Options {
    switch choice {
    case nil: .known([])
    case .options(let names)?: .known(names.map { KeeperOption(keeper: keeper, option: $0) })
    case .all?: .all
    case .workedOut(let function)?: .workedOut(function)
    }
  }
}
