import FlowKernel

extension Session {
  /// Returns the output of `body`, to be printed above an input that is being typed.
  func collecting(_ body: () -> Void) -> String? {
    SessionOutput.collect {
      told.begin()
      body()
      told.end()
    }
  }
}
