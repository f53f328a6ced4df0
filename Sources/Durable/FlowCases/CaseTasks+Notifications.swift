import FlowHosting
import FlowKernel

/// Notifications report commits to other programs: one event in a request, and the events of a case in order.
///
/// A row takes a slot of its notification as a task does, and has its lease from event to event.
extension CaseTasks {
  /// The end of an attempt to send the next event of a notification.
  private enum Attempt: Sendable {
    /// The event was sent, or there is none up to the last entry.
    case sent(next: NotificationPosition, wall: Int?)
    case failed(String, at: NotificationPosition, after: Double?)
    /// The receiver wants no more events.
    case gone(String, at: NotificationPosition)
    case interrupted
    /// The host file does not have the notification any more.
    case removed
  }

  /// Returns the notifications among capabilities, in the order of their names.
  static func notifications(
    among capabilities: [String: TaskCapability]
  ) -> [(name: String, queue: String, rules: NotificationRules)] {
    capabilities.sorted { $0.key < $1.key }.compactMap {
      title, capability -> (name: String, queue: String, rules: NotificationRules)? in
      guard let rules = capability.notification else { return nil }
      let name = String(title.dropFirst(OpenTask.notificationScope.count + 1))
      return (name: name, queue: capability.queue, rules: rules)
    }
  }

  /// Returns the rows that notifications of an entry's commits need.
  func notified(by entry: JournalEntry, of caseID: String) -> [OpenTask] {
    let known = notifications
    guard !known.isEmpty, let commits = try? entries.commits(of: entry, in: caseID),
      !commits.isEmpty
    else {
      return []
    }
    return known.compactMap { name, queue, rules in
      guard commits.contains(where: rules.includes) else { return nil }
      // No call has a position with #, also if a case has the name of the notification.
      return OpenTask(
        call: eventID("#\(entry.seq)", of: name, in: caseID), tryNumber: 1, effect: 0,
        position: name, scope: OpenTask.notificationScope, name: name,
        arguments: NotificationPosition(seq: entry.seq, last: entry.seq).arguments,
        kind: .notification, queue: queue, isOnce: false, opened: entry.wall, deadline: nil)
    }
  }

  /// Returns the id of an event of a notification, or of its row.
  ///
  /// It is the same on each node.
  func eventID(_ event: String, of notification: String, in caseID: String) -> String {
    CallID.text("\(journal)/\(notification)/\(caseID)/\(event)", in: journal)
  }

  /// Sends the events of a notification's row until none is left or one cannot be sent; then gives back its slot.
  func sendEvents(of key: OpenTask.Key) async {
    var token: String?
    repeat {
      token = await sendEvents(ofLease: key)
    } while !finish(key, token: token)
  }

  /// Sends events for as long as the row keeps its lease.
  ///
  /// - Returns: the token of the lease that has ended; nil if nothing more can be stored.
  private func sendEvents(ofLease key: OpenTask.Key) async -> String? {
    guard let performed = performances[key]?.task else { return nil }
    var task = performed.task
    while true {
      let attempt = await send(task, performed)
      let end = await store(key) { (performance) async throws(JournalError) in
        (reply: try await settle(attempt, of: performance), token: performance.token)
      }
      guard let end else { return nil }
      guard case .done(let row) = end.reply, row.state == .leased else { return end.token }
      task = row.task
    }
  }

  private func send(_ task: OpenTask, _ performed: PerformedTask) async -> Attempt {
    guard let capability = capabilities[task.capability], let rules = capability.notification else {
      return .removed
    }
    guard let performer = capability.performer, let findEvent, !isEnded, !Task.isCancelled else {
      return .interrupted
    }
    let position = NotificationPosition(task.arguments)
    let event: NotificationEvent
    do {
      guard let found = try await findEvent.next(task, performed.caseID, rules) else {
        return .sent(next: NotificationPosition(seq: position.last + 1, last: 0), wall: nil)
      }
      event = found
    } catch {
      if isEnded || Task.isCancelled { return .interrupted }
      return .failed("the event could not be read: \(error)", at: position, after: nil)
    }
    let message = task.with(call: event.id, arguments: event.body)
    let outcome = await performer.perform(
      PerformedTask(message, of: performed.caseID, attempt: performed.attempt))
    switch outcome {
    case .answered(.answer(_)), .accepted:
      return .sent(next: event.position.skipping, wall: event.wall)
    case .answered(.failure(let failure)):
      return .failed(failure.message, at: event.position, after: failure.after)
    case .dead(let reason): return .gone(reason, at: event.position)
    case .interrupted: return .interrupted
    }
  }

  private func settle(
    _ attempt: Attempt, of performance: TaskPerformances.Performance
  ) async throws(JournalError) -> TaskReply {
    let (key, token) = (performance.key, performance.token)
    switch attempt {
    case .sent(let next, let wall):
      let lease = performance.performer.lease
      return try await line.perform { (table) throws(JournalError) in
        try table.advance(key, token: token, to: next, sent: wall, lease: lease)
      }
    case .failed(let reason, let position, let after):
      guard let rules = capabilities[performance.capability]?.notification else {
        return try await settle(.removed, of: performance)
      }
      return try await postpone(performance, position, reason, after, rules.giveUp)
    case .gone(let reason, let position):
      return try await postpone(performance, position, reason, nil, 0)
    case .interrupted:
      let pause = isEnded || Task.isCancelled ? 0 : CaseTasks.pauseAfterInterruption
      return try await line.perform { (table) throws(JournalError) in
        try table.giveBack(key, token: token, after: pause)
      }
    case .removed:
      return try await line.perform { (table) throws(JournalError) in
        try table.remove(key, token: token)
      }
    }
  }

  private func postpone(
    _ performance: TaskPerformances.Performance, _ position: NotificationPosition,
    _ reason: String, _ after: Double?, _ giveUp: Int
  ) async throws(JournalError) -> TaskReply {
    let (key, token) = (performance.key, performance.token)
    let spread = Double.random(in: 0.8...1.2)
    return try await line.perform { (table) throws(JournalError) in
      try table.postpone(
        key, token: token, at: position, because: reason, after: after, giveUp: giveUp,
        spread: spread)
    }
  }
}
