import FlowKernel

extension FlowHost {
  /// Returns the values of a view as an asynchronous sequence, beginning with the present one.
  ///
  /// - Parameters:
  ///   - view: its name.
  ///   - type: the type as which each value is read.
  ///   - buffering: the treatment of values that have not been read yet; by default only the newest is kept.
  public func values<Element: Decodable>(
    of view: String, as type: Element.Type = Element.self,
    buffering: ViewValues<Element>.Buffering = .newest
  ) -> ViewValues<Element> {
    ViewValues(of: view, buffering: buffering, from: HostViewSource(host: self))
  }
}
