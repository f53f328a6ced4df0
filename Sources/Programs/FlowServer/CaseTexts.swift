import FlowLanguage

#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import LuaRuntime

  /// The JSON of entries and cases, with dots in place of secrets.
  struct CaseTexts: Sendable {
    private let flow: Flow
    private var secrets: Secrets? { flow.secrets }

    init(_ flow: LoadedFlow) { self.flow = flow.flow }

    func hiding(_ state: Value) -> Value { secrets?.hiding(state, at: StatePath([])) ?? state }

    static func json(_ summary: CaseSummary) -> Value {
      var fields: [String: Value] = [
        "id": .string(summary.id), "seq": .integer(summary.seq),
        "revision": .integer(summary.revision), "born": .integer(summary.born),
        "written": .integer(summary.wall),
        "machines": .record(summary.activeStates.mapValues { .list($0.map { .string($0) }) }),
      ]
      if let due = summary.due { fields["due"] = .integer(due) }
      if let ended = summary.ended { fields["ended"] = .integer(ended) }
      return .record(fields)
    }

    /// Returns the JSON of unfit cases, without ids or contents.
    ///
    /// Everybody may read it: which case was tried, and what it holds, is only reported when the server starts.
    static func json(_ unfit: UnfitCases) -> Value {
      [
        "flow": .string(unfit.flow), "version": .integer(unfit.version),
        "cases": .integer(unfit.count),
      ]
    }

    func json(_ entry: JournalEntry) throws -> Value {
      let contents = try entry.contents()
      var fields: [String: Value] = [
        "seq": .integer(entry.seq), "written": .integer(entry.wall),
        "revision": .integer(entry.revision), "kind": .string(contents.kind.rawValue),
        "transitions": .list(contents.commits.map(json)),
        "refused": .list(contents.refused.map(json)),
      ]
      if contents.refusedDropped > 0 {
        fields["refused_dropped"] = .integer(contents.refusedDropped)
      }
      let effects = [
        "effects_began": contents.effectsBegan.map { $0.value(epoch: nil) },
        "effects_waiting": contents.effectsWaitingValues(epoch: nil),
        "attempts_failed": contents.attemptsFailedValues(epoch: nil),
        "effects_failed": contents.effectsFailed.map { $0.value(epoch: nil) },
        "effects_ended": contents.effectsEnded.map { .integer($0) },
      ]
      for (name, values) in effects where !values.isEmpty { fields[name] = .list(values) }
      return .record(fields)
    }

    static func json(
      _ effects: CaseEffects, _ tasks: [OpenTask.Key: StoredTask]
    ) -> Value {
      [
        "effects": .list(
          effects.underWay.map { $0.value(epoch: effects.wallAtZero, tasks: tasks) }),
        "failed": .list(effects.failed.map { $0.value(epoch: effects.wallAtZero) }),
      ]
    }

    private func json(_ commit: Commit) -> Value {
      var fields: [String: Value] = [
        "revision": .integer(commit.revision), "action": .string(commit.action),
        "payload": flow.shown(commit.payload, of: commit.action),
        "time": .number(commit.time),
        "changes": .list(
          commit.changes.changes.map { change in
            let shown = secrets?.hiding(change) ?? change
            return [
              "operation": .string("\(shown.operation)"), "path": .string("\(shown.path)"),
              "old": shown.old, "new": shown.new,
            ]
          }),
      ]
      if let by = commit.dispatchedBy { fields["by"] = .string(by) }
      if let cause = commit.cause { fields["cause"] = .integer(cause) }
      if commit.isPostponed { fields["postponed"] = true }
      return .record(fields)
    }

    private func json(_ refused: JournalEntry.Contents.Refused) -> Value {
      var fields: [String: Value] = [
        "action": .string(refused.action), "why": .string(refused.reason),
        "failed": .boolean(refused.hasFailed),
      ]
      if let payload = refused.payload {
        fields["payload"] = flow.shown(payload, of: refused.action)
      }
      if let by = refused.by { fields["by"] = .string(by) }
      return .record(fields)
    }
  }
#endif
