extension FlowHost {
  /// Collects garbage, and returns the bytes of Lua memory that the host then uses.
  @_spi(Benchmarks) public func memoryHeld() throws -> Int {
    try use { engine in
      engine.vm.collectGarbage()
      return engine.vm.memoryUsed
    }
  }
}
