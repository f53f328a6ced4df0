import LuaRuntime

/// Playing what was recorded: only what the record holds happens.
extension Engine {
  /// Plays a transcript to its end from where this engine stands and gives the first difference.
  ///
  /// Answers of capabilities are taken from the record; nobody is called.
  ///
  /// - Parameter keys: what the host holds open, by the number of the opening: scopes that the record
  ///   opens are opened with these.
  package func replay(_ transcript: Transcript) -> Transcript.Difference? {
    replay(transcript, keys: [:])
  }

  func replay(_ transcript: Transcript, keys: [Int: HostKey]) -> Transcript.Difference? {
    recordedCalls = RecordedCalls(transcript)
    defer { recordedCalls = nil }
    for (index, entry) in transcript.entries.enumerated() {
      recordedCalls?.line = index + 2
      play(entry, line: index + 2, keys)
    }
    return recordedCalls?.difference
  }

  private func play(_ entry: Transcript.Entry, line: Int, _ keys: [Int: HostKey]) {
    switch entry {
    case .dispatch(let action, let payload, let then, let revision):
      let now = dispatch(action, payload).transcribed
      if now != then || self.revision != revision && revision > 0 {
        recordedCalls?.note(.init(line: line, action: action, then: then, now: now))
      }
    case .advance(let microseconds): advance(microseconds: microseconds)
    case .settle: settle()
    case .call: break  // asked for when the flow makes it
    case .answer(let call, let answer): take(answer, to: call)
    case .open(let scope, let opening):
      do throws(HostError) {
        try open(scope, with: keys[opening] ?? HostKey(()))
      } catch {
        recordedCalls?.note(
          .init(.input, line: line, action: scope, then: "\(error)", now: ""))
      }
    case .close(let opening):
      if let key = hostOpenings.first(where: { $0.number == opening })?.key {
        close(openedWith: key)
      }
    case .go(let target):
      do {
        try go(to: target)
      } catch {
        recordedCalls?.note(.init(.input, line: line, action: "", then: "\(error)", now: ""))
      }
    case .reload: transcript?.entries.append(entry)  // from here on another text was recorded
    case .stub(let capability, _):
      recordedCalls?.note(
        .init(
          .input, line: line, action: capability,
          then: "\(capability) was answered for at a prompt; only a prompt can replay that", now: ""))
    }
  }

  private func take(_ answer: Transcript.Answer, to call: Int) {
    guard effects.waiting(for: call) != nil else {
      recordedCalls?.noteUnwanted(call)
      return
    }
    switch answer {
    case .value(let value): take(.success(value), to: call)
    case .error(let message): take(.failure(TaskError(message: message)), to: call)
    }
    runQueue()
  }

  // MARK: Logs

  /// Turns effects and timers off: what they dispatched is in the record itself.
  package func turnOffEffectsAndTimers() {
    startsEffectsAndTimers = false
    // So far it was zero, for every engine.
    hasReadClock = false
    ledger.stopTimers { _ in true }
    ledger.forgetChanges()
  }

  /// Sets the clock, in microseconds since the beginning.
  ///
  /// It never goes backwards.
  package func setTime(_ microseconds: Int) { time = max(time, microseconds) }
}
