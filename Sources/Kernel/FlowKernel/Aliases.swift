import LuaRuntime
import StateBlocks

/// The error of a call to a host from inside itself, or after it was stopped.
public typealias AgentError = StateBlocks.AgentError
/// The outlet to the process's streams.
package typealias Terminal = StateBlocks.Terminal
/// The options held in all gatekeepers of a flow, and their holders.
package typealias HeldPassages = StateBlocks.HeldPassages
/// An option of a gatekeeper.
package typealias GatekeeperOption = StateBlocks.GatekeeperOption
/// The emphasis of a text on a terminal with colours.
package typealias Emphasis = StateBlocks.Emphasis
