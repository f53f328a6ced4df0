import FlowLanguage
import LuaRuntime

/// Tasks: calls of capabilities that are performed outside of the process.
///
/// A task belongs to the wait of the effect that has called. It is open while the effect waits, and closed when the
/// wait ends, however that happens: nothing else opens or closes one.
extension Engine {
  /// The greatest size of the arguments of a task, in bytes.
  static let largestTask = 256 << 10

  /// The open tasks of the case, in the order of their calls.
  package var openTasks: [OpenTask] { Engine.ordered(unorderedOpenTasks) }

  /// The open tasks of the case in any order: most turns ask for them, and few of these need the order.
  private var unorderedOpenTasks: [OpenTask] {
    caseState.effects.values.flatMap { $0.waits.compactMap(\.openTask) }
  }

  /// Returns tasks in the order of their calls.
  private static func ordered(_ tasks: [OpenTask]) -> [OpenTask] {
    tasks.sorted {
      ($0.effect, $0.opened, $0.position) < ($1.effect, $1.opened, $1.position)
    }
  }

  /// Returns the task that an earlier process has opened for a call of the effect under way; nil if there is none.
  ///
  /// It was checked when it was opened, and stays what it was.
  func openTask(of id: CallID) -> OpenTask? {
    guard let running = effects.current, let log = running.root.log, !log.openTasks.isEmpty else {
      return nil
    }
    let key = OpenTask.Key(call: id.description, tryNumber: running.tryNumber)
    return log.openTasks.first { $0.key == key }
  }

  /// Returns the body of a capability; nil if nobody provides it.
  ///
  /// If a durable effect may wait for a capability that nobody provides, the body opens a task.
  func body(of name: String, in scope: String) -> Capabilities.Body? {
    if let body = calls.capabilities.body(name, in: scope) { return body }
    return missedByDurable == nil ? nil : .task(.missing(name))
  }

  /// The missed capabilities, to which a new call of the effect under way may add one; nil if it does not wait.
  ///
  /// A replayed effect finds what its log has.
  var missedAtCall: MissedCapabilities? {
    effects.current?.root.log?.next == nil ? missedByDurable : nil
  }

  /// The missed capabilities; nil if the effect under way may not wait for one.
  private var missedByDurable: MissedCapabilities? {
    effects.current?.root.log == nil ? nil : calls.capabilities.missed
  }

  /// Returns the task of a call that the effect under way makes.
  ///
  /// - Throws: `ScopeRefusal` if there is neither a journal nor a performer, for wrong arguments, above a limit, or in
  ///   a plain effect if nobody provides the capability: only a durable one can wait until somebody does.
  func openTask(
    of capability: TaskCapability, _ name: String, in instance: ScopeTree.Instance, _ id: CallID,
    _ arguments: [Value]
  ) throws(ScopeRefusal) -> OpenTask {
    let scope = instance.name
    if capability.kind == .missing, effects.current?.root.log == nil {
      throw ScopeRefusal("scope \(scope) has no \(name): nobody provides it")
    }
    try expectPerformer(of: capability, "\(scope).\(name)")
    guard let running = effects.current else {
      throw ScopeRefusal("\(scope).\(name) is called in effects alone")
    }
    let given: Value
    do { given = try capability.arguments(arguments) } catch {
      throw ScopeRefusal("\(name): \(error)", isRaised: false)
    }
    guard given.size <= Engine.largestTask else {
      throw ScopeRefusal(
        "\(name): the arguments of a task have \(Engine.largestTask >> 10) KiB at most")
    }
    guard unorderedOpenTasks.count < limits.tasks else {
      let tasks = limits.tasks == 1 ? "1 task is" : "\(limits.tasks) tasks are"
      throw ScopeRefusal("\(tasks) open already (the limit tasks)")
    }
    let opened = caseWriter?.wall() ?? EngineTime.wall()
    return OpenTask(
      call: id.description, tryNumber: running.tryNumber, effect: running.root.number,
      position: id.position, scope: scope, scopeKey: instance.key, name: name, arguments: given,
      kind: capability.kind, queue: capability.queue, isOnce: running.root.log == nil,
      opened: opened,
      deadline: capability.timeout.map { EngineTime.later(opened, by: $0) })
  }

  /// Throws if a host without a journal has nobody who performs the tasks of a capability.
  private func expectPerformer(
    of capability: TaskCapability, _ title: String
  ) throws(ScopeRefusal) {
    let live = calls.capabilities.live
    if caseWriter != nil || live?.performs(capability) == true { return }
    let sentence = "\(title) \(Engine.performance(of: capability.kind))"
    guard live != nil else {
      throw ScopeRefusal(
        sentence + ", for which a journal is needed: serve the flow, or stub it")
    }
    let refusal = ScopeRefusal("\(sentence), and \(Engine.lack(of: capability.kind)): stub it")
    // An effect that catches the error would not report it.
    let place = effects.current.map { "  [\($0.effect.function.place)]" } ?? ""
    report(.missingCapability(refusal.description + place))
    throw refusal
  }

  /// Returns the text of a message that says how tasks of a kind are performed.
  private static func performance(of kind: TaskKind) -> String {
    switch kind {
    case .missing, .worker: "is performed by workers"
    case .http: "sends an HTTP request"
    case .command: "runs a command"
    case .notification: "sends a notification"
    }
  }

  /// Returns the text of a message that says that nobody performs tasks of a kind.
  private static func lack(of kind: TaskKind) -> String {
    switch kind {
    case .missing, .worker: "there are none here"
    case .http, .notification: "nothing sends one here"
    case .command: "nothing runs one here"
    }
  }

  /// Prepares a call that a reload replays and that has no answer yet.
  ///
  /// Its effect waits for the task that was open for the call, or for a new one if the reload has changed the id of the
  /// call. Does nothing in other replays: they call nothing.
  func prepareReplayed(
    _ call: Int, _ name: String, in instance: ScopeTree.Instance, _ id: CallID,
    _ arguments: [Value]
  ) {
    guard let known = calls.openBeforeReplay, calls.recorded?.isAnswered(call) == false,
      let running = effects.current
    else { return }
    let key = OpenTask.Key(call: id.description, tryNumber: running.tryNumber)
    var task = known.first { $0.key == key }
    if task == nil, case .task(let capability)? = body(of: name, in: instance.name) {
      task = try? openTask(of: capability, name, in: instance, id, arguments)
    }
    guard let task else { return }
    calls.prepared = PreparedCall(number: call, capability: name, work: .task(task))
  }

  /// Makes an effect wait for a task; after a restart it waits for the task that is open.
  func open(_ task: OpenTask, by running: RunningEffects.Running) {
    let waits = caseState.effects[running.root.number]?.waits ?? []
    let known = waits.first { $0.function == running.place }?.openTask
    if let known, known.key == task.key {
      running.openTask = known
      return
    }
    running.openTask = task
    recordWait(running, for: .task(task))
  }

  /// Resumes the effect that waits for a task, and runs the queue.
  ///
  /// - Returns: false if no effect waits for it any more.
  @discardableResult
  package func answer(_ task: OpenTask.Key, with outcome: TaskOutcome) -> Bool {
    if !caseState.queue.isEmpty { forNobody { runQueue() } }
    guard let call = effects.waiting(for: task)?.call else { return false }
    calls.answeredTasks.insert(task)
    switch outcome {
    case .answer(let value): take(.success(value), to: call)
    case .failure(let failure): fail(call, with: failure)
    }
    runQueue()
    return true
  }

  /// Resumes the effect that waits for a call whose task has failed.
  func fail(_ call: Int, with failure: CallFailure) {
    if !caseState.queue.isEmpty { forNobody { runQueue() } }
    guard let number = effects.waiting(for: call), let running = effects[number] else { return }
    transcribe(.answer(call: call, .failure(failure)))
    caseState.queue.outsideCame()
    recordFailure(failure, of: running)
    running.fail(with: failure)
    goOn(number, with: .failure(TaskError(message: failure.message)))
  }

  private func recordFailure(_ failure: CallFailure, of running: RunningEffects.Running) {
    let root = running.root
    guard let log = root.log, !log.isTellingAgain else { return }
    record(.callFailed(function: log.function(running.number), failure), in: root)
  }

  /// Returns the tasks that were opened and closed since the last call.
  func takeTaskChanges(since known: inout Set<OpenTask.Key>) -> TaskChanges {
    if known.isEmpty, !calls.opensTasks { return TaskChanges() }
    let open = unorderedOpenTasks
    let now = Set(open.map(\.key))
    defer {
      known = now
      calls.answeredTasks = []
    }
    if now == known { return TaskChanges() }
    let closed = known.subtracting(now).sorted {
      ($0.call, $0.tryNumber) < ($1.call, $1.tryNumber)
    }
    return TaskChanges(
      closed: closed.map {
        TaskChanges.Closed(
          call: $0.call.text, tryNumber: $0.tryNumber,
          isAnswered: calls.answeredTasks.contains($0))
      },
      opened: Engine.ordered(open.filter { !known.contains($0.key) }))
  }
}
