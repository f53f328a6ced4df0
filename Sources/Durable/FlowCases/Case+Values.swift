import FlowHosting
import FlowKernel
import LuaRuntime

/// The values of a case's views, as sequences.
extension Case {
  /// Returns the values of a view as an asynchronous sequence, beginning with the present one.
  ///
  /// ```swift
  /// for try await summary in orders["o-17"].values(of: "summary", as: Summary.self) { show(summary) }
  /// ```
  ///
  /// The case stays awake as long as the sequence is read, if this process alone serves it. The sequence ends
  /// when the case ends, and when its `Cases` are closed or released. An error of the journal, such as that
  /// there is no such case, is a `ViewError.unsaved`.
  ///
  /// - Parameters:
  ///   - view: its name.
  ///   - type: the type as which each value is read.
  ///   - buffering: the treatment of values that have not been read yet; by default only the newest is kept.
  public func values<Element: Decodable>(
    of view: String, as type: Element.Type = Element.self,
    buffering: ViewValues<Element>.Buffering = .newest
  ) -> ViewValues<Element> {
    ViewValues(of: view, buffering: buffering, from: CaseViewSource(id: id, cases: cases))
  }

  /// Returns the values of a view, and its errors as results: a view that raises an error can have a value again later.
  package func results(of view: String) -> AsyncThrowingStream<Result<Value, ViewError>, any Error>
  {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let follower = CaseFollower(id: id, view: view, cases: cases)
      let task = Task {
        do {
          try await follower.follow { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
