import FlowKernel

extension FlowHost {
  /// The values of a view as an asynchronous sequence, beginning with the present one.
  ///
  /// - Parameters:
  ///   - view: its name.
  ///   - type: what each value is read as.
  ///   - buffering: what happens to values that nobody has read yet; only the newest is kept if
  ///     nothing else is said.
  public func values<Element: Decodable & Sendable>(
    of view: String, as type: Element.Type = Element.self,
    buffering: ViewValues<Element>.Buffering = .newest
  ) -> ViewValues<Element> {
    ViewValues(host: self, view: view, buffering: buffering)
  }
}
