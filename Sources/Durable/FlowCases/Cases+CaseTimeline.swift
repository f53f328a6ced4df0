import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

extension Cases {
  /// The cases whose due timers could not run.
  package var troubled: Set<String> { Set(troubled(after: options.wall()).keys) }

  /// Makes followers of entries look for new ones, which another process may have written.
  package func lookForNews() { watch.tellAll() }

  /// The time of the wall clock, in microseconds since 1970.
  package var wall: Int { options.wall() }

  /// True if the cases' clock moves by itself.
  package var clockMovesByItself: Bool { options.clock.movesByItself }
}
