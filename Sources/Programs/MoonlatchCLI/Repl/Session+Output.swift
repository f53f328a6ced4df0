import FlowKernel

extension Session {
  /// What is told meanwhile, to be printed above an input that is being typed.
  func collecting(_ body: () -> Void) -> String? {
    SessionOutput.collect {
      told.begin()
      body()
      told.end()
    }
  }
}
