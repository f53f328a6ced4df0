/// The calls of a traceback as a report tells them, innermost first.
struct CallLines {
  let lines: [String]

  /// The first call is left out where it is the place itself, which has been told.
  init(_ traceback: [String], at place: String) {
    let isTold = traceback.first?.hasPrefix("\(place): ") ?? false
    lines = traceback.dropFirst(isTold ? 1 : 0).prefix(10).map { frame in
      guard let range = frame.firstRange(of: ": in ") else { return "called from \(frame)" }
      return "called from \(frame[..<range.lowerBound])"
    }
  }
}
