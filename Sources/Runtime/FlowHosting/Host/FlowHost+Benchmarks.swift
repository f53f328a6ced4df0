extension FlowHost {
  /// The bytes of Lua memory that the host holds once its garbage is collected.
  @_spi(Benchmarks) public func memoryHeld() throws -> Int {
    try use { engine in
      engine.vm.collectGarbage()
      return engine.vm.memoryUsed
    }
  }
}
