import FlowHosting
import FlowKernel
import LuaRuntime

extension HostScope {
  /// Lends a stub to scripts, with any number of arguments.
  ///
  /// ```swift
  /// scopes.root.provide("price", CapabilityStub(always: 250))
  /// ```
  public mutating func provide<Answer>(_ name: String, _ stub: CapabilityStub<Answer>) {
    addLater(name) { _, arguments in try ValueEncoder.encode(await stub.call(arguments)) }
  }
}
