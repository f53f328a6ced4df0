import StateCharts

/// An SCXML document (https://www.w3.org/TR/scxml/) as a chart.
///
/// The chart's functions are numbers of functions in a Lua chunk, which the reader writes beside it.
package struct Document: Sendable {
  /// The language of the conditions and expressions.
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
    /// The function that returns its initial value; nil if it begins without a value.
    package let function: Chart.Function?
    package let place: Chart.Place
  }

  /// A named value in the payload of an event or an invocation.
  package struct Parameter: Sendable {
    package let name: String
    package let function: Chart.Function
  }

  /// An invocation of another document, which runs while a state is active.
  package struct Invoke: Sendable {
    /// The id, if the document has one.
    package var id: String?
    /// The function that stores a generated id, if the document asks for that.
    package var idLocation: Chart.Function?
    package let state: Chart.StateNumber
    /// Its index among the invocations of its state.
    package let number: Int
    /// The number of the document in `DocumentFile.documents`; nil if there is none that could run.
    package var document: Int?
    /// The function that returns a key of `choices` when the invocation starts.
    package var choice: Chart.Function?
    /// The numbers of the possible documents, by the results of `choice`.
    package var choices: [String: Int] = [:]
    /// The reason why there is no document, as a clause.
    package var obstacle: String?
    /// True if its type is not supported, false if its document was not found.
    package var isOfUnknownType = false
    package var parameters: [Parameter] = []
    package var forwards = false
    package var finalize: Chart.Function?
    package let place: Chart.Place

    /// The numbers of all possible documents.
    package var documents: [Int] { document.map { [$0] } ?? choices.values.sorted() }
  }

  /// The name in messages: the `name` attribute, or the file name without its extension.
  package var name: String
  package var dataModel: DataModel
  package var bindsLate = false
  package var chart: Chart
  package var data: [Datum] = []
  /// The names that get values without a declaration: by `foreach`, and by scripts.
  package var created: Set<String> = []
  /// The scripts that run before any state is entered.
  package var scripts: [Chart.Function] = []
  /// The functions that return the data of a state's done event.
  package var doneData: [Chart.StateNumber: Chart.Function] = [:]
  package var invokes: [Invoke] = []
  /// The event descriptors of its transitions, as written, sorted.
  package var descriptors: [String] = []
}

/// The result of reading a file: its own document first, then the documents that it invokes.
package struct DocumentFile: Sendable {
  /// A Lua text with the functions of a file, each on its line of the file if possible.
  package struct Chunk: Sendable {
    package let file: String
    package let text: String
  }

  /// The name and the source position of a function.
  package struct Function: Sendable {
    package let name: String
    package let place: Chart.Place
    package var lastLine: Int
    /// The text of a condition; nil for other functions.
    package var condition: String?
    /// The number of the chunk that contains it.
    package let chunk: Int
  }

  package var documents: [Document] = []
  package var chunks: [Chunk] = []
  /// The functions of all chunks, in order: a chart's functions are indices of this array.
  package var functions: [Function] = []
  /// The errors that prevent the file from being read.
  package var faults: [DocumentFault] = []
  /// The reasons why it cannot run, although it can be read.
  package var obstacles: [DocumentFault] = []
  /// The likely mistakes.
  package var warnings: [DocumentFault] = []
}

extension DocumentFile {
  /// The fields of the flow's state that hold variables.
  var fields: [String] {
    (documents.first.map { $0.data.map(\.id) + $0.created.subtracting($0.data.map(\.id)).sorted() }
      ?? [])
      + documents.indices.dropFirst().compactMap { field(of: $0) }
  }

  /// Returns the field that holds the variables of an invoked document while it runs; nil for the first document.
  package func field(of document: Int) -> String? {
    document == 0 ? nil : "#data.\(slot(of: document))"
  }

  /// Returns the path of an invoked document: the invocation's id or state, after those of the documents around it.
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

/// An error or a warning about a document.
package struct DocumentFault: Error, Sendable, Hashable {
  package let file: String
  /// The line, counted from 1.
  package let line: Int
  /// The column in bytes, counted from 1.
  package let column: Int
  package let message: String

  package init(file: String, line: Int, column: Int, message: String) {
    (self.file, self.line, self.column, self.message) = (file, line, column, message)
  }
}
