/// The cases that are open: one, or all of them if the rows of a case need not be together.
final class OpenCases {
  private let isInterleaved: Bool
  private var current: ReplayCase?
  private var names = ByteNames()
  private var cases: [ReplayCase] = []
  private var closed = ClosedCases()
  private(set) var count = 0
  private var closedWhole = 0

  init(isInterleaved: Bool) { self.isInterleaved = isInterleaved }

  /// The number of cases of which every event has passed so far.
  var whole: Int {
    closedWhole + cases.count { $0.isWhole } + (!isInterleaved && current?.isWhole == true ? 1 : 0)
  }

  /// Returns the case with the name, and begins it if it is new; nil if it was closed before.
  func find(_ name: UnsafeBufferPointer<UInt8>, _ known: KnownCases) throws -> ReplayCase? {
    if let current, current.isNamed(name) { return current }
    if isInterleaved {
      if let number = names.number(of: name) {
        current = cases[number]
        return current
      }
    } else {
      guard closed.insert(name) else { return nil }
      if current?.isWhole == true { closedWhole += 1 }
      current = nil
    }
    let new = ReplayCase(name)
    try new.begin(known)
    count += 1
    current = new
    if isInterleaved {
      _ = names.add(name)
      cases.append(new)
    }
    return new
  }
}
