import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

extension Cases {
  /// The cases that could not be woken for what is due.
  package var troubled: Set<String> { Set(troubled(after: options.wall()).keys) }

  /// Has those who follow entries look for new ones, where another process may have written them.
  package func lookForNews() { watch.tellAll() }

  /// What the wall clock shows, in microseconds since 1970.
  package var wall: Int { options.wall() }

  /// True if the cases' time goes by itself.
  package var clockMovesByItself: Bool { options.clock.movesByItself }
}
