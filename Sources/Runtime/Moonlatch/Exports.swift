@_exported import FlowLanguage
@_exported import LuaRuntime
import StateBlocks

/// A plain value: nil, boolean, integer, number, string, list, record or map.
public typealias Value = LuaRuntime.Value
/// A place in the state or in a value: fields, keys and indices.
public typealias StatePath = LuaRuntime.StatePath
/// A place in a file of a flow.
public typealias SourcePlace = FlowLanguage.SourcePlace
/// A fault of a flow, with its place.
public typealias Diagnostic = FlowLanguage.Diagnostic
/// All faults of a flow that could not be loaded.
public typealias FlowError = FlowLanguage.FlowError
/// Something that went wrong in a script, with its place and traceback.
public typealias ScriptError = LuaRuntime.ScriptError
/// Why a host could not be called: from inside itself, or after it was stopped.
public typealias AgentError = StateBlocks.AgentError
/// The outlet to the process's streams.
package typealias Terminal = StateBlocks.Terminal
/// Who holds what, in all gatekeepers of a flow.
typealias HeldPassages = StateBlocks.HeldPassages
/// An option of a gatekeeper.
package typealias GatekeeperOption = StateBlocks.GatekeeperOption
/// How a text is set off on a terminal that has colours.
package typealias Emphasis = StateBlocks.Emphasis
/// What a script may use.
public typealias Limits = LuaRuntime.Limits

extension Limits {
  /// A number of instructions that is not counted, to measure what counting costs.
  ///
  /// Nothing ends an endless loop then.
  @_spi(Benchmarks) public static let uncounted = Int.min
}
