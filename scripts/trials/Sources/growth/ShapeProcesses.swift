import Forking
import Platform

/// The processes in which shapes run: copies of this one, at most as many at once as there are processors.
struct ShapeProcesses {
  private var underWay = 0
  /// The number of processes that did not end well.
  private(set) var failures = 0

  /// Starts a process that runs a shape, and returns its number; nil if none can be started.
  mutating func start(_ shape: Shape, _ size: Int) -> Int32? {
    while underWay >= SystemThread.cores { wait() }
    // The copy would print what is not written yet again.
    fflush(nil)
    let process = forking_copy()
    if process == 0 {
      shape.runOrExit(size)
      exit(0)
    }
    if process < 0 { return nil }
    underWay += 1
    return process
  }

  /// Waits until all processes have ended.
  mutating func waitForAll() { while underWay > 0 { wait() } }

  private mutating func wait() {
    var isWell: Int32 = 0
    guard forking_wait(&isWell) >= 0 else {
      underWay = 0
      return
    }
    underWay -= 1
    if isWell == 0 { failures += 1 }
  }
}

extension Shape {
  /// Runs it, and ends the process with 70 if it does not do its work.
  func runOrExit(_ size: Int) {
    do {
      try run(size)
    } catch {
      print("growth: \(name) of \(size): \(error)")
      exit(70)
    }
  }
}
