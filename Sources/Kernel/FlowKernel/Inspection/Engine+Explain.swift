import FlowLanguage
import LuaRuntime

/// Explains why an action would pass or not: returns all decisions of steps 1 to 5, and dispatches nothing.
///
/// A dispatch ends at the first refusal (`evaluateRules`); here everything is asked, in the same order and with the
/// same functions.
extension Engine {
  package func explain(_ name: String, _ payload: Value) -> Explanation {
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    var decisions: [Explanation.Decision] = []
    let action: LoadedAction
    do throws(Rejection) {
      action = try prepare(name, payload, nil).takeUnretainedValue()
      decisions.append(decision(nil, .agrees, place: flow.action(named: name)?.place))
    } catch {
      let place = flow.action(named: name)?.place
      decisions.append(decision(refuser(of: error), verdict(of: error), place: place))
      if let action = self.action(named: name)?.takeUnretainedValue() {
        askScope(action, &decisions)
        decisions += withoutPayload(action)
      }
      return Explanation(decisions: decisions)
    }
    askScope(action, &decisions)
    let machines = action.transitions.map { askMachine($0, action) }
    decisions += machines
    if machines.contains(where: \.postpones), machines.allSatisfy({ $0.verdict == .agrees }) {
      return Explanation(decisions: decisions)
    }
    for index in action.gatekeepers { decisions.append(askGatekeeper(index, action)) }
    for index in action.calls.indices { decisions.append(askRule(index, action)) }
    return Explanation(decisions: decisions)
  }

  /// Returns the refusal that the action would get now with any payload; nil if some payload might pass.
  package func refusalOfAnyPayload(_ name: String) -> Refusal? {
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    guard let action = action(named: name)?.takeUnretainedValue() else { return nil }
    if action.isInternal, !settings.admitsInternal { return notFromOutside(action) }
    var decisions: [Explanation.Decision] = []
    askScope(action, &decisions)
    for decision in decisions + withoutPayload(action) {
      if case .refuses(let reason) = decision.verdict, let refuser = decision.refuser,
        let place = decision.place
      {
        return Refusal(action: name, rejectedBy: refuser, reason: reason, place: place)
      }
    }
    return nil
  }

  private func decision(
    _ refuser: Refusal.Refuser?, _ verdict: Explanation.Verdict, note: String? = nil,
    place: SourcePlace?,
    lastLine: Int? = nil
  ) -> Explanation.Decision {
    Explanation.Decision(
      refuser: refuser, verdict: verdict, note: note, place: place, lastLine: lastLine)
  }

  /// Returns the decisions that need no payload, and marks the others as not asked.
  private func withoutPayload(_ action: LoadedAction) -> [Explanation.Decision] {
    action.transitions.map {
      // A machine without a transition here refuses whatever the payload.
      !hasTransition($0)
        ? askMachine($0, action)
        : decision(
          .machine(flow.machines[$0.index].name), .notAsked, place: flow.machines[$0.index].place)
    }
      + action.gatekeepers.map {
        decision(
          .gatekeeper(flow.gatekeepers[$0].name), .notAsked, place: flow.gatekeepers[$0].place)
      }
      + action.rules.map { decision(.gate($0.function.name), .notAsked, place: $0.function.place) }
  }

  // MARK: 2. Scope

  private func askScope(_ action: LoadedAction, _ decisions: inout [Explanation.Decision]) {
    guard let scope = action.scope else { return }
    let declared = flow.scopes[scope]
    let verdict: Explanation.Verdict =
      scopes.isOpen(scope)
      ? .agrees : .refuses("it is locked: scope \(scopes.wanting(scope)) needs its key")
    let key = scopes.current[scope].flatMap { scopes[$0]?.key }
    decisions.append(
      decision(
        .scope(declared.name), verdict,
        note: key.map { "open, its key is \($0.text(limit: 60))" }, place: declared.place))
  }

  // MARK: 3. Machines

  /// Returns true if the machine has a transition for the action in its configuration.
  ///
  /// For machines of records it returns true, since the payload selects the record.
  private func hasTransition(_ transitions: TransitionTable) -> Bool {
    if transitions.machine.records != nil { return true }
    return derived.configuration[transitions.machine.regions].contains {
      $0 >= 0 && !transitions.machine.chart.candidates(transitions.action, at: $0).isEmpty
    }
  }

  private func returnedNoMove(_ action: LoadedAction) -> DispatchFailure {
    DispatchFailure(kind: .script, action: action.name, message: "\(action.name) moves no machine")
  }

  /// Returns the microstep of the only machine of a plan.
  private func planned(_ plan: EnabledTransitions, _ action: LoadedAction) throws(Rejection)
    -> Microstep
  {
    do throws(ScriptError) {
      if let move = try microsteps(plan.selections).first {
        return move
      }
    } catch {
      throw .failed(scriptFailure(error, action: action.name))
    }
    throw .failed(returnedNoMove(action))
  }

  private func askMachine(_ transitions: TransitionTable, _ action: LoadedAction)
    -> Explanation.Decision
  {
    if transitions.machine.records != nil { return askMachineOfRecords(transitions, action) }
    let machine = flow.machines[transitions.index]
    var plan = EnabledTransitions()
    var refused: [(region: Int32, reason: String?)] = []
    do {
      if transitions.machine.isPrepared {
        plan.add(try choose(transitions, action))
      } else {
        plan.add(
          try select(transitions, action, of: subject(transitions.machine)) {
            refused.append(($0, $1.reason))
          })
      }
      let move = try planned(plan, action)
      let guards = move.transitions.compactMap { move.machine.chart.transition($0).condition }
      let rule = guards.last.map { move.machine.functions[Int($0)] }
      var agreed = decision(
        .machine(machine.name), .agrees, note: note(move), place: rule?.place ?? machine.place,
        lastLine: rule?.lastLine)
      agreed.regions = regions(move, refused, of: transitions.machine)
      if !refused.isEmpty { agreed.rule = "one region that takes it is enough" }
      return agreed
    } catch {
      if case .refused(let refusal) = error, refusal.postponedIn != nil {
        return postponing(refusal, machine)
      }
      let asked = derived.configuration[transitions.machine.regions].filter { $0 >= 0 }.flatMap {
        transitions.machine.chart.candidates(transitions.action, at: $0)
      }.last.flatMap { transitions.machine.chart.transition($0).condition }
      var refusing = decision(
        .machine(machine.name), verdict(of: error), place: place(of: error) ?? machine.place,
        lastLine: asked.map { transitions.machine.functions[Int($0)].lastLine })
      refusing.regions = regions(nil, refused, of: transitions.machine)
      return refusing
    }
  }

  private func postponing(_ refusal: Refusal, _ machine: Machine) -> Explanation.Decision {
    var decided = decision(
      .machine(machine.name), .agrees, note: refusal.reason, place: refusal.place)
    decided.postpones = true
    return decided
  }

  /// The greatest number of records' moves that are listed.
  private static let mostRecords = 3

  private func askMachineOfRecords(
    _ transitions: TransitionTable, _ action: LoadedAction
  ) -> Explanation.Decision {
    let machine = flow.machines[transitions.index]
    var plan = EnabledTransitions()
    vm.forgetSelected()
    do {
      try askRecords(transitions, action, inside: 0, &plan)
    } catch {
      if case .refused(let refusal) = error, refusal.postponedIn != nil {
        return postponing(refusal, machine)
      }
      var refusing = decision(
        .machine(machine.name), verdict(of: error), place: place(of: error) ?? machine.place)
      refusing.rule = "each record that it concerns must take it"
      return refusing
    }
    let moves = (try? microsteps(plan.selections)) ?? []
    var said = moves.prefix(Engine.mostRecords).map { move in
      let title = keys(of: move).flatMap { transitions.machine.records?.title($0) } ?? machine.name
      let changes = move.changes.map { change in
        "\(move.machine.value(of: change.from) ?? "nil") -> "
          + (move.machine.value(of: change.to) ?? "nil")
      }
      return "\(title): " + (changes.isEmpty ? "stays" : changes.joined(separator: ", "))
    }
    if moves.count > said.count { said.append("and \(moves.count - said.count) more") }
    return decision(
      .machine(machine.name), .agrees, note: said.isEmpty ? nil : said.joined(separator: "; "),
      place: machine.place)
  }

  /// Returns a line for each region that takes a transition or refuses to, if the machine has several regions.
  private func regions(
    _ move: Microstep?, _ refused: [(region: Int32, reason: String?)], of machine: LoadedMachine
  ) -> [String] {
    guard machine.chart.heads.count > 1 else { return [] }
    var lines: [(region: Int32, text: String)] = refused.map {
      ($0.region, "\(machine.name(ofRegion: $0.region)) stays\($0.reason.map { ": \($0)" } ?? "")")
    }
    for number in move?.transitions ?? [] {
      let transition = machine.chart.transition(number)
      let region = machine.chart.nodes[Int(transition.source)].region
      let from =
        machine.value(of: derived.configuration[machine.firstRegion + Int(region)]) ?? machine.name
      let change = move?.changes.first { $0.region == region }
      let to =
        change.flatMap { machine.value(of: $0.to) }
        ?? transition.targets.map { machine.chart.chart.states[Int($0)].path }.joined(
          separator: " and ")
      let stays = move?.changes.isEmpty == true || transition.targets.isEmpty
      lines.append(
        (
          region,
          "\(machine.name(ofRegion: region)) agrees "
            + (stays ? "(stays in \(from))" : "(\(from) -> \(to))")
        ))
    }
    return lines.enumerated().sorted {
      ($0.element.region, $0.offset) < ($1.element.region, $1.offset)
    }
    .map(\.element.text)
  }

  /// Returns a note such as `closed -> opened`; for several regions, the configuration of a machine that stays.
  private func note(_ move: Microstep) -> String? {
    let machine = move.machine
    let leafNumbers = derived.configuration[machine.regions]
    if machine.chart.heads.count > 1 {
      return move.changes.isEmpty ? "stays in \(machine.whereabouts(leafNumbers))" : nil
    }
    let from = machine.value(of: leafNumbers[leafNumbers.startIndex]) ?? machine.name
    let to = move.changes.first.flatMap { machine.value(of: $0.to) } ?? from
    return "\(from) -> \(to)"
  }

  // MARK: 4. Gatekeepers

  private func askGatekeeper(_ index: Int, _ action: LoadedAction) -> Explanation.Decision {
    let gatekeeper = flow.gatekeepers[index]
    guard let entry = gatekeeper.entries[action.name] else {
      return decision(.gatekeeper(gatekeeper.name), .agrees, place: gatekeeper.place)
    }
    do throws(Rejection) {
      let unless = try options(entry.unless, of: entry, action)
      let resets = try options(entry.reset, of: entry, action)
      let takes = try options(entry.attempt, of: entry, action)
      try expectFree(unless, for: action)
      try expectFree(takes, besides: resets, for: action)
      return decision(
        .gatekeeper(gatekeeper.name), .agrees, note: note(gatekeeper, resets, takes, unless),
        place: gatekeeper.place)
    } catch {
      return decision(
        .gatekeeper(gatekeeper.name), verdict(of: error),
        place: place(of: error) ?? gatekeeper.place)
    }
  }

  private func note(
    _ gatekeeper: GatekeeperPolicy, _ resets: [GatekeeperOption], _ takes: [GatekeeperOption],
    _ unless: [GatekeeperOption]
  ) -> String? {
    func words(_ verb: String, _ options: [GatekeeperOption]) -> String? {
      if options.isEmpty { return nil }
      if gatekeeper.isYesNo { return "\(verb) the passage" }
      return verb + " " + options.map { "\"\($0.option)\"" }.joined(separator: ", ")
    }
    let parts = [words("resets", resets), words("takes", takes), words("tests", unless)]
    let said = parts.compactMap { $0 }.joined(separator: "; ")
    return said.isEmpty ? nil : said
  }

  // MARK: 5. Gate rules

  private func askRule(_ index: Int, _ action: LoadedAction) -> Explanation.Decision {
    let rule = action.rules[index]
    let (reference, name) = action.calls[index]
    let verdict: Explanation.Verdict
    switch vm.callRule(reference, name: name, budget: budget) {
    case .passed: verdict = .agrees
    case .refused(let reason): verdict = .refuses(reason)
    case .nothing:
      verdict = .fails(returnedNothing(rule.title, rule.function, action).message)
    case .raised(let error): verdict = .fails(error.summary)
    }
    return decision(
      .gate(rule.function.name), verdict, place: rule.function.place,
      lastLine: rule.function.lastLine)
  }

  // MARK: Verdicts

  private func verdict(of rejection: Rejection) -> Explanation.Verdict {
    switch rejection {
    case .refused(let refusal): .refuses(refusal.reason)
    case .failed(let failure): .fails(failure.summary)
    }
  }

  private func refuser(of rejection: Rejection) -> Refusal.Refuser? {
    if case .refused(let refusal) = rejection { return refusal.rejectedBy }
    return nil
  }

  private func place(of rejection: Rejection) -> SourcePlace? {
    if case .refused(let refusal) = rejection { return refusal.place }
    return nil
  }
}
