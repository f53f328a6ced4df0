import FlowKernel
import HostFiles

/// The tasks of a session, beside what the case has of them.
struct SessionTasks {
  /// The tasks that this process performs.
  let performances: LivePerformances
  /// The reasons for which tasks could not be performed, and the like.
  private var notes: [OpenTask.Key: String] = [:]
  /// The numbers of tasks that are in no journal.
  private var numbers: [OpenTask.Key: Int] = [:]
  private var lastNumber = 0

  init(_ capabilities: Capabilities, of caseID: String) {
    performances = LivePerformances(capabilities.tasks, of: caseID)
  }

  /// The note on a task; nil if there is none.
  subscript(note task: OpenTask) -> String? {
    get { notes[task.key] }
    set { notes[task.key] = newValue }
  }

  /// Returns the number of a task that is in no journal.
  mutating func number(of task: OpenTask) -> Int {
    if let number = numbers[task.key] { return number }
    lastNumber += 1
    numbers[task.key] = lastNumber
    return lastNumber
  }

  /// Begins the tasks that are open, and forgets the others.
  ///
  /// - Parameter attempt: the number of this attempt: 2 if an earlier process may have begun one.
  mutating func follow(_ open: [OpenTask], attempt: Int = 1) {
    performances.follow(open, attempt: attempt)
    if notes.isEmpty && numbers.isEmpty { return }
    let keys = Set(open.map(\.key))
    notes = notes.filter { keys.contains($0.key) }
    numbers = numbers.filter { keys.contains($0.key) }
  }
}
