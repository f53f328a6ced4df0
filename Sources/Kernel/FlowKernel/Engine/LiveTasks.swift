/// The tasks of a host without a journal, which are performed while it runs.
///
/// The owner of the engine sees them in `openTasks`, and answers each.
package struct LiveTasks: Sendable {
  /// The id that begins the ids of their calls, in place of a journal's id: new for each host.
  package let id = JournalIdentity.randomID()
  /// The id of the case in the ids of their calls.
  package let caseID: String
  /// True if somebody answers tasks that workers perform, such as a person at a prompt.
  package let hasWorkers: Bool

  package init(caseID: String = "main", hasWorkers: Bool) {
    (self.caseID, self.hasWorkers) = (caseID, hasWorkers)
  }

  /// Returns true if tasks of a capability are performed.
  func performs(_ capability: TaskCapability) -> Bool {
    capability.performer != nil || hasWorkers
  }
}
