/// The calls of a traceback as lines of a report, innermost first.
struct CallLines {
  let lines: [String]

  /// Makes the lines; the first call is left out if it is at the place itself, which the report has named.
  init(_ traceback: [String], at place: String) {
    let isTold = traceback.first?.hasPrefix("\(place): ") ?? false
    lines = traceback.dropFirst(isTold ? 1 : 0).prefix(10).map { frame in
      guard let range = frame.firstRange(of: ": in ") else { return "called from \(frame)" }
      return "called from \(frame[..<range.lowerBound])"
    }
  }
}
