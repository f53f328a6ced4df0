import StateCharts

extension Chart {
  /// Returns true if a state can be active while one of others is: it is one of them, or around or inside one.
  ///
  /// - Parameter others: the other states, in ascending order.
  func touches(_ state: StateNumber, anyOf others: [StateNumber]) -> Bool {
    func isFirst(at place: Int, upTo last: StateNumber) -> Bool {
      place < others.count && others[place] <= last
    }
    if isFirst(at: Chart.place(of: state, in: others), upTo: states[Int(state)].last) {
      return true
    }
    var around = states[Int(state)].parent
    while around >= 0 {
      if isFirst(at: Chart.place(of: around, in: others), upTo: around) { return true }
      around = states[Int(around)].parent
    }
    return false
  }

  /// Returns the index of the first of the others that is not before a state.
  private static func place(of state: StateNumber, in others: [StateNumber]) -> Int {
    var (low, high) = (0, others.count)
    while low < high {
      let middle = (low + high) / 2
      if others[middle] < state { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
