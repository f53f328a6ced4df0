import FlowLanguage
import LuaRuntime
import Platform

/// Matches texts with the patterns of types, in VMs of its own.
///
/// A call takes a VM that no other call uses, or makes one, so that no call waits for another: turns of cases, in which
/// arguments are checked, run on threads that must not block.
final class HostFilePatterns: Sendable {
  /// A VM with the function that matches.
  ///
  /// `@unchecked`: one call at a time has it.
  private final class Matcher: @unchecked Sendable {
    private let vm: LuaVM
    private let function: LuaReference

    init(_ limits: Limits) throws(ScriptError) {
      let vm = try LuaVM(limits: limits)
      try FlowPreludes.install(in: vm)
      function = try FlowPreludes.function("matches", in: vm)
      self.vm = vm
    }

    func matches(_ text: String, _ pattern: String, budget: Int) throws(ScriptError) -> Bool {
      try vm.call(
        function, [.string(text), .string(pattern)], phase: .script, budget: budget
      ).first == .boolean(true)
    }
  }

  /// The most VMs that are kept for later calls.
  private static let mostFree = 8

  private let limits: Limits
  private let free = Mutex<[Matcher]>([])

  /// - Parameter limits: the limits of each VM.
  init(_ limits: Limits) { self.limits = limits }

  /// Returns true if a text matches a Lua pattern; false for a pattern that takes too long.
  func matches(_ text: String, _ pattern: String) -> Bool {
    do {
      let matcher = try free.withLock { $0.popLast() } ?? Matcher(limits)
      let isMatch = try matcher.matches(text, pattern, budget: Limits().instructionsPerDispatch)
      free.withLock { if $0.count < HostFilePatterns.mostFree { $0.append(matcher) } }
      return isMatch
    } catch {
      return false
    }
  }
}
