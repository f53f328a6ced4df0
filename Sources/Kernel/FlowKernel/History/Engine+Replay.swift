import LuaRuntime

/// Replays a transcript: nothing happens but its entries.
extension Engine {
  /// Thrown for an entry that a tool leaves to the engine.
  package struct NotPlayed: Error {
    package init() {}
  }

  /// Replays a transcript from the current state to its end, and returns the first difference.
  ///
  /// Answers of capabilities are taken from the transcript; no capability is called.
  ///
  /// - Parameter play: plays an entry in a tool's own way, and returns the outcome of an action; it throws `NotPlayed`
  ///   for an entry that it leaves to the engine.
  package func replay(
    _ transcript: Transcript, _ play: (Transcript.Entry) throws -> Outcome?
  ) -> Transcript.Difference? {
    replay(transcript, keys: [:], play)
  }

  package func replay(_ transcript: Transcript) -> Transcript.Difference? {
    replay(transcript, keys: [:])
  }

  /// Replays a transcript with the host's keys, by the number of the scope instance; its scopes are opened with them.
  package func replay(
    _ transcript: Transcript, keys: [Int: HostKey],
    _ play: (Transcript.Entry) throws -> Outcome? = { _ in throw NotPlayed() }
  ) -> Transcript.Difference? {
    calls.recorded = RecordedCalls(transcript)
    defer { calls.recorded = nil }
    vm.beginUntimed()
    defer { vm.endUntimed() }
    for (index, entry) in transcript.entries.enumerated() {
      let line = index + 2
      calls.recorded?.line = line
      do {
        if let outcome = try play(entry) { compare(outcome, with: entry, line) }
      } catch is NotPlayed {
        self.play(entry, line: line, keys)
      } catch {
        calls.recorded?.note(.init(.input, line: line, action: "", then: "\(error)", now: ""))
      }
    }
    return calls.recorded?.difference
  }

  private func compare(_ outcome: Outcome, with entry: Transcript.Entry, _ line: Int) {
    guard case .dispatch(let action, _, let then, let revision) = entry else { return }
    let now = outcome.transcribed
    // A tool may have run the queue already.
    let reached =
      if case .passed(let commit) = outcome { commit.revision } else { revision }
    if now != then || reached != revision && revision > 0 {
      calls.recorded?.note(.init(line: line, action: action, then: then, now: now))
    }
  }

  private func play(_ entry: Transcript.Entry, line: Int, _ keys: [Int: HostKey]) {
    switch entry {
    case .dispatch(let action, let payload, let then, _):
      let outcome =
        wasFromInside(action, then)
        ? dispatch(fromInside: action, payload)
        : dispatch(action, payload, by: calls.recorded?.takeSpeaker())
      compare(outcome, with: entry, line)
      hostScopeInstances.dispatchedThrough = nil
    case .advance(let microseconds): advance(microseconds: microseconds)
    case .settle: settle()
    case .call: break  // asked for when the flow makes it
    case .answer(let call, let answer): deliverRecordedAnswer(answer, to: call)
    case .open(let scope, let number):
      do throws(HostError) {
        try open(scope, with: keys[number] ?? HostKey(()))
      } catch {
        calls.recorded?.note(
          .init(.input, line: line, action: scope, then: "\(error)", now: ""))
      }
    case .through(let number):
      transcribe(entry)
      hostScopeInstances.dispatchedThrough = hostScopeInstances.held.first { $0.number == number }
        .flatMap {
          instance(openedWith: $0.key)
        }
    case .by(let who): calls.recorded?.speaker = who
    case .close(let number):
      if let key = hostScopeInstances.held.first(where: { $0.number == number })?.key {
        close(openedWith: key)
      }
    case .go(let target):
      do {
        try go(to: target)
      } catch {
        calls.recorded?.note(.init(.input, line: line, action: "", then: "\(error)", now: ""))
      }
    case .reload: transcribe(entry)  // from here on, the record is of another version
    case .given(let given):
      if let problem = give(given) {
        calls.recorded?.note(.init(.input, line: line, action: "given", then: problem, now: ""))
      } else {
        transcribe(entry)
      }
    case .stub(let capability, _):
      calls.recorded?.note(
        .init(
          .input, line: line, action: capability,
          then: "\(capability) was stubbed at a prompt; only a prompt can replay that", now: ""
        ))
    }
  }

  private func deliverRecordedAnswer(_ answer: Transcript.Answer, to call: Int) {
    guard effects.waiting(for: call) != nil else {
      calls.recorded?.noteUnwanted(call)
      return
    }
    switch answer {
    case .value(let value): take(.success(value), to: call)
    case .error(let message): take(.failure(TaskError(message: message)), to: call)
    case .failure(let failure): fail(call, with: failure)
    }
    runQueue()
  }

  // MARK: Logs

  /// Turns effects and timers off: their dispatches are in the log itself.
  package func turnOffEffectsAndTimers() {
    settings.startsEffectsAndTimers = false
    // The clock was 0 so far, in every engine.
    hasReadClock = false
    caseState.stopTimers { _ in true }
    caseState.set(stateEffectTriggers: [:])
    caseState.queue.removeBeginnings()
    caseState.forgetChanges()
  }

  /// Sets the clock, in microseconds since the host began.
  ///
  /// The clock never goes backwards.
  package func setTime(_ microseconds: Int) {
    caseState.clock.pass(to: max(time, min(microseconds, EngineTime.last)))
  }
}
