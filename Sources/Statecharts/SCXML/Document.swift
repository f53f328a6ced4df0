import StateCharts

/// An SCXML document (https://www.w3.org/TR/scxml/) as it was read: its chart, and behind the chart's functions
/// the numbers of functions in a Lua chunk, which the reader writes beside it.
package struct Document: Sendable {
  /// The language of its conditions and expressions.
  package enum DataModel: Sendable, Hashable {
    case null, lua, ecmascript
    case other(String)

    init(_ name: String?) {
      switch name {
      case nil, "null": self = .null
      case "lua": self = .lua
      case "ecmascript": self = .ecmascript
      case let name?: self = .other(name)
      }
    }
  }

  /// A variable of the data model.
  package struct Datum: Sendable {
    package let id: String
    /// The state that declares it; 0 for the document itself.
    package let state: Chart.StateNumber
    /// What sets it; nil where it begins without a value.
    package let function: Chart.Function?
    package let place: Chart.Place
  }

  /// A value by a name, that goes along with an event or an invocation.
  package struct Parameter: Sendable {
    package let name: String
    package let function: Chart.Function
  }

  /// Another document that runs while a state is active.
  package struct Invoke: Sendable {
    /// What it is called, if the document says so.
    package var id: String?
    /// Takes the id that was made for it, where the document asks for that.
    package var idLocation: Chart.Function?
    package let state: Chart.StateNumber
    /// Its place among those of its state.
    package let number: Int
    /// The number of the document among `DocumentFile.documents`; nil where there is none that could run.
    package var document: Int?
    /// Works out which of `choices` it is, as it is invoked.
    package var choice: Chart.Function?
    /// The documents that it may be, by what `choice` gives.
    package var choices: [String: Int] = [:]
    /// Why there is none, as a clause.
    package var obstacle: String?
    /// Whether it is of a kind that is not here, in place of one that was not found.
    package var isOfUnknownType = false
    package var parameters: [Parameter] = []
    package var forwards = false
    package var finalize: Chart.Function?
    package let place: Chart.Place

    /// The numbers of all documents that it may be.
    package var documents: [Int] { document.map { [$0] } ?? choices.values.sorted() }
  }

  /// What messages call it: its `name`, or its file's without the ending.
  package var name: String
  package var dataModel: DataModel
  package var bindsLate = false
  package var chart: Chart
  package var data: [Datum] = []
  /// The names that get values without being declared: by `foreach`, and by scripts.
  package var created: Set<String> = []
  /// What runs before anything is entered.
  package var scripts: [Chart.Function] = []
  /// What the end of a state tells.
  package var doneData: [Chart.StateNumber: Chart.Function] = [:]
  package var invokes: [Invoke] = []
  /// The names of events that its transitions wait for, as they are written, sorted.
  package var descriptors: [String] = []
}

/// What a file with a document comes to: that document first, and those that it invokes.
package struct DocumentFile: Sendable {
  /// A Lua text with the functions of a file, each on the line where it stands there.
  package struct Chunk: Sendable {
    package let file: String
    package let text: String
  }

  /// Where a function stands.
  package struct Function: Sendable {
    package let name: String
    package let place: Chart.Place
    package var lastLine: Int
    /// The text of a condition.
    package var condition: String?
    /// The number of the chunk that it is written in.
    package let chunk: Int
  }

  package var documents: [Document] = []
  package var chunks: [Chunk] = []
  /// The functions of all chunks, in order: a chart's functions are numbers among them.
  package var functions: [Function] = []
  /// Why it cannot be read.
  package var faults: [DocumentFault] = []
  /// Why it cannot be run, though it can be read.
  package var obstacles: [DocumentFault] = []
  /// What is likely not meant.
  package var warnings: [DocumentFault] = []
}

extension DocumentFile {
  /// The fields of the state in which variables stand.
  var fields: [String] {
    (documents.first.map { $0.data.map(\.id) + $0.created.subtracting($0.data.map(\.id)).sorted() }
      ?? [])
      + documents.indices.dropFirst().compactMap { field(of: $0) }
  }

  /// The field in which the variables of an invoked document stand, while it runs; nil for the first.
  package func field(of document: Int) -> String? {
    document == 0 ? nil : "#data.\(slot(of: document))"
  }

  /// What an invoked document is called: its id, or the state that invokes it, behind those around.
  package func slot(of document: Int) -> String {
    for (number, outer) in documents.enumerated() {
      guard let invoke = outer.invokes.first(where: { $0.documents.contains(document) }) else {
        continue
      }
      let state = outer.chart.states[Int(invoke.state)].name
      var own = invoke.id ?? (invoke.number == 0 ? state : "\(state).\(invoke.number + 1)")
      if let choice = invoke.choices.filter({ $0.value == document }).keys.min() {
        own += ".\(choice)"
      }
      return number == 0 ? own : "\(slot(of: number)).\(own)"
    }
    return ""
  }
}

/// Something that is wrong with a document.
package struct DocumentFault: Error, Sendable, Hashable {
  package let file: String
  /// Counted from 1.
  package let line: Int
  /// Counted from 1, in bytes.
  package let column: Int
  package let message: String

  package init(file: String, line: Int, column: Int, message: String) {
    (self.file, self.line, self.column, self.message) = (file, line, column, message)
  }
}
