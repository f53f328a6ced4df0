import StateCharts

/// Checks of machines against the state and the payloads.
extension DeclarationReader {
  /// Reports timers whose action requires a payload, because a timer gives only the key of its record.
  mutating func checkTimers(of machine: Machine, in flow: Flow) {
    let dispatches = machine.chart.states.contains { state in
      state.timers.contains { if case .action = $0.due { true } else { false } }
    }
    if dispatches { checkUnknownKeys(of: machine, in: flow) }
    for (number, state) in machine.chart.states.enumerated() {
      for timer in state.timers {
        guard case .action(let name) = timer.due, let action = flow.action(named: name) else {
          continue
        }
        let given = machine.records?.which ?? []
        if given.contains(where: { isUnknown($0, to: machine, in: flow) }) { continue }
        let word = timer.repeats ? "every" : "after"
        for field in given where action.payload.type(ofField: field) == nil {
          fault(
            place(of: [.field(word), .field(name)], in: Chart.StateNumber(number), of: machine),
            "\(machine.title): \(state.path).\(word).\(name) concerns one record, but \(name) "
              + "has no field \(field) that names it (\(action.place)); declare it there")
        }
        let required = action.payload.requiredNames.filter { !given.contains($0) }
        if required.isEmpty { continue }
        fault(
          place(of: [.field(word), .field(name)], in: Chart.StateNumber(number), of: machine),
          "\(machine.title): \(state.path).\(word).\(name) dispatches no payload, but \(name) "
            + "requires \(Names.list(required)) (\(action.place)); make "
            + (required.count == 1 ? "it optional, or give it" : "them optional, or give them")
            + " a default")
      }
    }
  }

  /// Reports names in `which` that none of a machine's actions has as a field.
  private mutating func checkUnknownKeys(of machine: Machine, in flow: Flow) {
    for field in machine.records?.which ?? [] where isUnknown(field, to: machine, in: flow) {
      let fields = Set(
        machine.takers.keys.compactMap { flow.action(named: $0) }.flatMap(\.payload.fieldNames))
      fault(
        place(of: [.field("which")], in: 0, of: machine),
        "\(machine.title): which = \"\(field)\": no action that it lists has the field \(field), "
          + "and its timers need one that names their record"
          + Names.suggestion(for: field, among: fields.sorted()))
    }
  }

  /// Returns true if none of a machine's actions has a field of that name.
  private func isUnknown(_ field: String, to machine: Machine, in flow: Flow) -> Bool {
    !machine.takers.keys.contains { flow.action(named: $0)?.payload.type(ofField: field) != nil }
  }

  /// Reports fields that an `on_error` action requires, but that a state effect cannot give.
  ///
  /// The state may be entered by any action or by none, so the effect's payload is not known.
  mutating func checkEffects(of machine: Machine, in flow: Flow) {
    for (_, effect) in machine.effects.sorted(by: { $0.key < $1.key }) {
      let place = effect.function.place
      guard let action = effect.onError.flatMap({ flow.action(named: $0) }) else { continue }
      let given = ["error"] + (machine.records?.which ?? [])
      let missing = action.payload.requiredNames.filter { !given.contains($0) }
      if missing.isEmpty { continue }
      let it = missing.count == 1 ? "it" : "them"
      fault(
        place,
        "\(effect.title): on_error cannot give \(Names.list(missing)) to \(action.name), which "
          + "requires \(it) (\(action.place)): it gives error, and the equally named fields of "
          + "the action that entered the state; make \(it) optional in \(action.name)")
    }
  }

  /// Reports regions whose field name is already in use, and invalid declarations of machines of records.
  mutating func checkFields(of flow: Flow) {
    var owners: [String: (title: String, place: SourcePlace)] = [:]
    for field in flow.fields { owners[field.name] = ("the field state.\(field.name)", field.place) }
    for machine in flow.machines { owners[machine.name] = (machine.title, machine.place) }
    for machine in flow.machines {
      var own: [String: (title: String, place: SourcePlace)] = [:]
      for region in machine.chart.regions where region.head > 0 {
        guard let name = region.field else { continue }
        let place = place(of: [], in: region.head, of: machine)
        let path = machine.chart.states[Int(region.head)].path
        let other = machine.records == nil ? owners[name] : own[name]
        if let other {
          fault(
            place,
            "\(machine.title): region \(path) has the same name as \(other.title) "
              + "(\(other.place)); each region needs its own field in the state")
        }
        own[name] = ("region \(path) of \(machine.title)", place)
        if machine.records == nil, other == nil { owners[name] = own[name] }
      }
      if let records = machine.records { check(records, of: machine, in: flow) }
    }
  }

  private func place(
    of path: DeclarationLines.Path, in state: Chart.StateNumber, of machine: Machine
  ) -> SourcePlace {
    lines.place(
      of: machine.chart.keys(of: state) + path, in: "machine", named: machine.name,
      at: machine.place)
  }

  // MARK: A machine for each record

  private mutating func check(_ records: Machine.Records, of machine: Machine, in flow: Flow) {
    let path = records.path.joined(separator: ".")
    let each = place(of: [.field("each")], in: 0, of: machine)
    if records.path.contains("") || records.path.first == "*" || records.path.last == "*" {
      fault(each, "\(machine.title): each must be the path of records, such as \"orders.*.items\"")
    } else if let first = records.path.first, !flow.fields.contains(where: { $0.name == first }) {
      fault(
        each,
        "\(machine.title): each = \"\(path)\": there is no field state.\(first)"
          + Names.suggestion(for: first, among: flow.fields.map(\.name)))
    } else if isList(records.path, in: flow) {
      checkTimers(inListsOf: machine, path)
    }
    checkShape(records, of: machine, in: flow, at: each)
    checkWhich(records, of: machine, in: flow)
    for (number, state) in machine.chart.states.enumerated() {
      for transition in state.transitions
      where transition.trigger == .always && !transition.isFromWildcard {
        guard let condition = transition.condition.map({ machine.functions[Int($0)] }),
          condition.parameters > 1
        else { continue }
        let prefix = number == 0 ? "" : state.path + "."
        fault(
          place(of: [.field("always")], in: Chart.StateNumber(number), of: machine),
          "\(machine.title): \(prefix)always: when must be a function of (it), where it is the record"
        )
      }
    }
  }

  /// Checks the types of the records, as far as they have any: they must be records, and the machine's field must
  /// be free.
  private mutating func checkShape(
    _ records: Machine.Records, of machine: Machine, in flow: Flow, at each: SourcePlace
  ) {
    let path = records.path.joined(separator: ".")
    for declared in declaredTypes where declared.path.first == records.path.first {
      guard let found = declared.type.part(at: records.path.dropFirst(declared.path.count)),
        zip(declared.path, records.path).allSatisfy(==)
      else { continue }
      let elements: [PayloadType]
      switch found {
      case .listOf(let element, _, _, _), .mapOf(let element, _, _, _): elements = [element]
      case .record(let fields): elements = fields.map(\.type)
      default: elements = [found]
      }
      let names = Set(machine.regionFields.map(\.field))
      for element in elements {
        guard case .record(let fields) = element.withoutOptional else {
          fault(
            each,
            "\(machine.title): each = \"\(path)\": its elements are \(element.text), but only a "
              + "record with named fields can have a machine")
          continue
        }
        for field in fields where names.contains(field.name) {
          fault(
            declared.place,
            "\(declared.title): \(machine.title) adds the field \(field.name) to these records "
              + "itself; leave it out of the type")
        }
      }
      checkKeys(found, records, of: machine, in: flow)
    }
  }

  /// Reports payload fields that select records, but whose type is not that of the records' keys.
  private mutating func checkKeys(
    _ type: PayloadType, _ records: Machine.Records, of machine: Machine, in flow: Flow
  ) {
    guard case .mapOf = type, let field = records.which.last else { return }
    let isInteger = type.hasIntegerKeys
    for name in machine.takers.keys.sorted() {
      guard let action = flow.action(named: name), records.whichIn[name] == nil else { continue }
      let fits: Bool
      switch action.payload.type(ofField: field) {
      case .integer?, .number?: fits = isInteger
      case .string?: fits = !isInteger
      default: fits = true
      }
      if fits { continue }
      fault(
        action.place,
        "action \(name): \(field) names a record of \(records.path.joined(separator: ".")) for "
          + "\(machine.title), whose keys are \(isInteger ? "integers" : "strings")")
    }
  }

  /// Returns true if the initial state has a list at the path.
  private func isList(_ path: [String], in flow: Flow) -> Bool {
    guard let field = flow.fields.first(where: { $0.name == path.first }) else { return false }
    var shapes = [field.shape]
    for name in path.dropFirst() {
      shapes = shapes.flatMap { (shape: StateShape) -> [StateShape] in
        switch shape {
        case .list(let elements), .map(let elements): name == "*" ? elements : []
        case .record(let fields) where name == "*": Array(fields.values)
        case .record(let fields): [fields[name]].compactMap { $0 }
        default: []
        }
      }
    }
    return shapes.contains { if case .list = $0 { true } else { false } }
  }

  private mutating func checkTimers(inListsOf machine: Machine, _ path: String) {
    for (number, state) in machine.chart.states.enumerated() {
      guard state.lasts else { continue }
      let word =
        state.timers.first.map { $0.repeats ? "every" : "after" }
        ?? (state.effect == nil ? "postpone" : "effect")
      fault(
        place(of: [.field(word)], in: Chart.StateNumber(number), of: machine),
        "\(machine.title): \(state.path).\(word): the records of \(path) are in a list, where "
          + "their positions change; store them in a map")
    }
  }

  private mutating func checkWhich(
    _ records: Machine.Records, of machine: Machine, in flow: Flow
  ) {
    for name in machine.takers.keys.sorted() {
      guard let action = flow.action(named: name), records.whichIn[name] == nil else { continue }
      for field in records.which where action.payload.type(ofField: field)?.isOptional == true {
        fault(
          place(of: [.field("which")], in: 0, of: machine),
          "\(machine.title): which = \"\(field)\" names the record of \(name), but may be "
            + "missing there (\(action.place)); make it required in \(name)")
      }
    }
    for (name, field) in records.whichIn.sorted(by: { $0.key < $1.key }) {
      let place = place(of: [.field("which_in"), .field(name)], in: 0, of: machine)
      guard let index = find(name, for: "\(machine.title): which_in", at: place, in: flow) else {
        continue
      }
      let action = flow.actions[index]
      if case .listOf? = action.payload.type(ofField: field) { continue }
      fault(
        place,
        "\(machine.title): which_in.\(name) names \(field), which is not a list in the payload of \(name) "
          + "(\(action.place))")
    }
    for name in records.without.sorted() {
      let place = place(of: [.field("without"), .field(name)], in: 0, of: machine)
      _ = find(name, for: "\(machine.title): without", at: place, in: flow)
    }
  }
}
