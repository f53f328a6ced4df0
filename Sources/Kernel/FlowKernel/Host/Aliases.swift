import LuaRuntime
import StateBlocks

/// Why a host could not be called: from inside itself, or after it was stopped.
public typealias AgentError = StateBlocks.AgentError
/// The outlet to the process's streams.
package typealias Terminal = StateBlocks.Terminal
/// Who holds what, in all gatekeepers of a flow.
package typealias HeldPassages = StateBlocks.HeldPassages
/// An option of a gatekeeper.
package typealias GatekeeperOption = StateBlocks.GatekeeperOption
/// How a text is set off on a terminal that has colours.
package typealias Emphasis = StateBlocks.Emphasis
