import StateCharts

/// A converter of one document to a chart.
struct ChartConverter {
  var reader: DocumentReader
  var chunk: ChunkWriter
  let number: Int
  let model: Document.DataModel
  let depth: Int
  /// The states by their ids.
  private var numbers: [String: Chart.StateNumber] = [:]
  /// The references to states, which are resolved once all states are known.
  private var unresolvedTargets: [UnresolvedTarget] = []
  private var descriptors: Set<String> = []
  /// The places of the declared variables, by their ids.
  var declared: [String: Chart.Place] = [:]
  /// False if the document names no data model, which means the null data model.
  var namesModel = true
  /// The expressions of a document that names no data model, with their lines.
  var undeclaredModel: [(text: String, line: Int)] = []
  /// The texts in the document that name documents.
  var sources: [String] = []
  /// The documents in initial values of variables, by the variables.
  var elementsInData: [String: DocumentElement] = [:]

  /// The ids of targets that become numbers of states.
  private struct UnresolvedTarget {
    enum Of {
      case transition(Int)
      case initial
    }
    let element: DocumentElement
    let state: Chart.StateNumber
    let of: Of
    let ids: [String]
  }

  init(
    reader: DocumentReader, chunk: ChunkWriter, number: Int, model: Document.DataModel, depth: Int
  ) {
    (self.reader, self.chunk, self.number) = (reader, chunk, number)
    (self.model, self.depth) = (model, depth)
  }

  var document: Document {
    get { reader.file.documents[number] }
    _modify { yield &reader.file.documents[number] }
  }

  mutating func read(_ root: DocumentElement) {
    document.bindsLate = root["binding"] == "late"
    checkVersion(root)
    checkAttributes(root)
    namesModel = root["datamodel"] != nil
    sources = ChartConverter.sources(in: root)
    number(root, parent: -1, region: -1)
    add(root, 0)
    resolve()
    checkUndeclaredModel(root)
    document.descriptors = descriptors.sorted()
  }

  private mutating func checkVersion(_ root: DocumentElement) {
    if root.namespace == nil {
      reader.warn(
        root, chunk, "<scxml> has no namespace: write xmlns=\"\(DocumentElement.namespace)\"")
    }
    switch root["version"] {
    case "1.0": break
    case nil: reader.warn(root, chunk, "<scxml> has no version: write version=\"1.0\"")
    case let other?: reader.warn(root, chunk, "version must be 1.0, not \(other)")
    }
  }

  // MARK: States

  /// Numbers the states in document order, before transitions are read.
  private mutating func number(_ element: DocumentElement, parent: Int32, region: Int32) {
    let number = Int32(document.chart.states.count)
    let isParallel = parent >= 0 && document.chart.states[Int(parent)].kind == .parallel
    let kind = ChartConverter.kind(element)
    let isHistory: Bool = if case .history = kind { true } else { false }
    let isHead = (parent < 0 || isParallel) && !isHistory
    let region = isHead ? Int32(document.chart.regions.count) : region
    let id = parent < 0 ? document.name : element["id"] ?? "#\(number)"
    let above = parent > 0 ? document.chart.states[Int(parent)].path + "." : ""
    if isHead { document.chart.regions.append(.init(head: number, owner: parent, field: id)) }
    document.chart.states.append(
      .init(
        name: id, path: parent < 0 ? "" : above + id, kind: kind, parent: parent, last: number,
        region: region, place: chunk.place(element.line)))
    if parent >= 0, let id = element["id"] {
      if let other = numbers[id] {
        fault(
          element,
          "id \(id) is given twice: here and in line \(document.chart.states[Int(other)].place.line)"
        )
      } else if id.isEmpty || id.contains(where: \.isWhitespace) {
        fault(element, "id \"\(id)\" is not a name: it is empty, or has blanks")
      }
      numbers[id] = number
    }
    for child in element.elements where ChartConverter.isState(child) {
      self.number(child, parent: number, region: region)
    }
    document.chart.states[Int(number)].last = Int32(document.chart.states.count - 1)
  }

  static func isState(_ element: DocumentElement) -> Bool {
    ["state", "parallel", "final", "history"].contains(element.name)
  }

  private static func kind(_ element: DocumentElement) -> Chart.State.Kind {
    switch element.name {
    case "parallel": .parallel
    case "final": .final
    case "history": .history(element["type"] == "deep" ? .deep : .shallow)
    default:
      element.elements.contains {
        isState($0) && $0.name != "history"
      } ? .compound : .atomic
    }
  }

  // MARK: Contents of states

  private mutating func add(_ element: DocumentElement, _ state: Int32) {
    if let initial = element["initial"] {
      if element.name == "state" || element.name == "scxml" {
        lead(element, state, .initial, initial)
      }
    }
    var next = state + 1
    var invokes = 0
    for child in element.elements {
      if ChartConverter.isState(child) {
        let isMisplaced =
          ["final", "history"].contains(element.name)
          || (child.name == "final" && element.name == "parallel")
        if isMisplaced {
          fault(child, "<\(child.written)> is not allowed in <\(element.written)>")
        }
        let number = next
        next = document.chart.states[Int(number)].last + 1
        add(child, number)
        continue
      }
      switch child.name {
      case "datamodel": for datum in child.elements { self.datum(datum, in: state) }
      case "script" where state == 0: script(child)
      case "onentry" where state > 0:
        block(child).map { document.chart.states[Int(state)].onEnter.append($0) }
      case "onexit" where state > 0:
        block(child).map { document.chart.states[Int(state)].onExit.append($0) }
      case "transition" where element.name == "final":
        fault(child, "<final> cannot have transitions: write <state> instead")
      case "transition" where state > 0: transition(child, state)
      case "transition":
        fault(
          child,
          "<transition> is not allowed in <scxml>: put it in a state that contains all others")
      case "initial" where state == 0:
        fault(child, "<initial> is not allowed in <scxml>: write initial=\"ID\" there")
      case "initial" where element.name == "state": initial(child, state)
      case "donedata" where element.name == "final": doneData(child, state)
      case "invoke" where element.name == "state" || element.name == "parallel":
        invoke(child, state, invokes)
        invokes += 1
      case nil: continue
      default: fault(child, "<\(child.written)> is not allowed in <\(element.written)>")
      }
    }
    if case .history = document.chart.states[Int(state)].kind { checkHistory(element, state) }
  }

  private mutating func checkHistory(_ element: DocumentElement, _ state: Int32) {
    let transitions = document.chart.states[Int(state)].transitions
    if transitions.count != 1 {
      fault(
        element,
        "a history needs one transition, whose target is entered if there is no history yet")
    } else if transitions[0].trigger != .always || transitions[0].condition != nil {
      fault(element, "the transition of a history cannot have event or cond")
    }
  }

  private mutating func initial(_ element: DocumentElement, _ state: Int32) {
    let transitions = element.elements.filter { $0.name == "transition" }
    guard transitions.count == 1, let transition = transitions.first,
      let target = transition["target"]
    else { return fault(element, "<initial> needs one transition with a target") }
    if transition["event"] != nil || transition["cond"] != nil {
      fault(transition, "the transition of <initial> cannot have event or cond")
    }
    let content = block(transition)
    document.chart.states[Int(state)].initial = .init(
      source: state, trigger: .always, targets: [], reach: .internal, content: content,
      place: chunk.place(transition.line))
    lead(transition, state, .initial, target)
  }

  private mutating func transition(_ element: DocumentElement, _ state: Int32) {
    let events = element["event"].map(ChartConverter.names)
    if (events?.count ?? 0) > ChartConverter.mostNames {
      fault(element, "a transition can list at most \(ChartConverter.mostNames) events")
    }
    if events?.isEmpty == true { fault(element, "event is empty: leave it out, or name an event") }
    for event in events ?? [] where !EventNames.isDescriptor(event) {
      fault(element, EventNames.misfit(event, in: events ?? []))
    }
    let targets = element["target"]
    if element["event"] == nil, element["cond"] == nil, targets == nil,
      !ChartConverter.isHistory(document, state)
    {
      fault(element, "a transition without event, cond and target would be taken forever")
    }
    var condition: Chart.Function?
    if let text = element["cond"] { condition = self.condition(text, element) }
    let content = block(element)
    let reach: Chart.Reach = element["type"] == "internal" ? .internal : .external
    descriptors.formUnion(events ?? [])
    if targets != nil {
      lead(
        element, state, .transition(document.chart.states[Int(state)].transitions.count),
        targets ?? "")
    }
    let trigger: Chart.Trigger = if let events { .events(events) } else { .always }
    let transition = Chart.Transition(
      source: state, trigger: trigger, condition: condition, targets: [],
      reach: targets == nil ? .stays : reach, content: content, place: chunk.place(element.line))
    document.chart.states[Int(state)].transitions.append(transition)
  }

  private static func isHistory(_ document: Document, _ state: Int32) -> Bool {
    if case .history = document.chart.states[Int(state)].kind { true } else { false }
  }

  private mutating func doneData(_ element: DocumentElement, _ state: Int32) {
    chunk.begin(at: element.line)
    payload(element, returns: true)
    document.doneData[state] = end(named: "donedata", element)
  }

  // MARK: Targets

  private mutating func lead(
    _ element: DocumentElement, _ state: Int32, _ of: UnresolvedTarget.Of, _ ids: String
  ) {
    let names = ChartConverter.names(ids)
    guard names.count <= ChartConverter.mostNames else {
      return fault(element, "a transition can have at most \(ChartConverter.mostNames) targets")
    }
    if names.isEmpty { fault(element, "the target is empty: leave it out, or name a state") }
    unresolvedTargets.append(UnresolvedTarget(element: element, state: state, of: of, ids: names))
  }

  private mutating func resolve() {
    for lead in unresolvedTargets {
      var targets: [Int32] = []
      for id in lead.ids {
        if let number = numbers[id] {
          targets.append(number)
        } else {
          fault(
            lead.element,
            "there is no state \(id)" + suggestion(for: id))
        }
      }
      guard targets.count == lead.ids.count else { continue }
      if let (one, other) = ChartConverter.apart(targets, document.chart) {
        fault(
          lead.element,
          "\(document.chart.states[Int(one)].name) and \(document.chart.states[Int(other)].name) cannot be active together"
        )
      }
      switch lead.of {
      case .transition(let transition):
        document.chart.states[Int(lead.state)].transitions[transition].targets = targets
      case .initial:
        if let outside = targets.first(where: {
          $0 == lead.state || !document.chart.contains(lead.state, $0)
        }) {
          fault(
            lead.element,
            "the initial state \(document.chart.states[Int(outside)].name) is not inside "
              + document.chart.states[Int(lead.state)].name)
          continue
        }
        let own = document.chart.states[Int(lead.state)].initial
        document.chart.states[Int(lead.state)].initial = .init(
          source: lead.state, trigger: .always, targets: targets, reach: .internal,
          content: own?.content, place: chunk.place(lead.element.line))
      }
    }
  }

  /// Returns two of these states that no configuration contains together, or nil.
  ///
  /// Only neighbours in document order are compared: the state around any two is around two neighbours between them.
  private static func apart(
    _ targets: [Chart.StateNumber], _ chart: Chart
  ) -> (Chart.StateNumber, Chart.StateNumber)? {
    let targets = targets.sorted()
    for (one, other) in zip(targets, targets.dropFirst()) where !chart.contains(one, other) {
      var above = chart.states[Int(one)].parent
      while above >= 0, !chart.contains(above, other) { above = chart.states[Int(above)].parent }
      if above < 0 || chart.states[Int(above)].kind != .parallel { return (one, other) }
    }
    return nil
  }

  func isState(_ id: String) -> Bool { numbers[id] != nil }

  func suggestion(for id: String) -> String {
    numbers.count > ChartConverter.mostNames || reader.file.faults.count > DocumentReader.mostFaults
      ? "" : reader.surroundings.suggestion(id, numbers.keys.sorted())
  }

  /// The number of names above which none is looked up, which is also the limit for a transition.
  static let mostNames = 1_000

  static func names(_ text: String) -> [String] {
    LuaText.words(text).map(String.init)
  }

  // MARK: Functions

  /// Ends the function that was begun by `begin`, and returns its number.
  mutating func end(named name: String, _ element: DocumentElement) -> Chart.Function {
    chunk.end()
    if reader.file.functions.count == DocumentReader.mostFunctions {
      fault(
        element,
        "there are more than \(DocumentReader.mostFunctions) functions, the limit of a document")
    }
    reader.file.functions.append(
      .init(
        name: name, place: chunk.place(element.line), lastLine: chunk.line,
        chunk: chunk.number))
    return Chart.Function(reader.file.functions.count - 1)
  }

  mutating func fault(_ element: DocumentElement, _ message: String) {
    reader.fault(element, chunk, message)
  }
}
