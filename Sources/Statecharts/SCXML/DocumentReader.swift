import StateCharts

/// A reader of an SCXML document and of the documents that it invokes.
///
/// Each document becomes a chart. The conditions, expressions and content of a file become one Lua chunk, whose
/// functions stand on the lines of the document; the chart's functions are numbers of these.
package struct DocumentReader {
  /// The functions of the environment that reading needs.
  package struct ReadingEnvironment {
    /// Returns the syntax error of a Lua text, as a clause with its line; nil if there is none.
    package var misfit: (String) -> (reason: String, line: Int)?
    /// Returns the names of the globals that a Lua text may assign.
    package var assigned: (String) -> [String]
    /// Reads a text by its path relative to the document; returns its name for messages, and the text.
    package var text: (String) throws -> (name: String, text: String)
    /// Returns `; did you mean NAME?` for a name among others, or an empty text.
    package var suggestion: (String, [String]) -> String

    package init(
      misfit: @escaping (String) -> (reason: String, line: Int)?,
      assigned: @escaping (String) -> [String],
      text: @escaping (String) throws -> (name: String, text: String),
      suggestion: @escaping (String, [String]) -> String
    ) {
      (self.misfit, self.text, self.suggestion) = (misfit, text, suggestion)
      self.assigned = assigned
    }
  }

  /// The largest number of documents that one may invoke, directly or indirectly.
  static let mostDocuments = 64
  /// The largest number of errors that are reported.
  static let mostFaults = 100
  static let deepest = 8
  /// The largest number of functions in a chunk, each of which is a constant in it.
  static let mostFunctions = 100_000

  let surroundings: ReadingEnvironment
  var file = DocumentFile()

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - text: its text, in UTF-8 even if the document declares another encoding.
  ///   - name: the name of its file in messages.
  package static func read(
    _ text: String, name: String, _ surroundings: ReadingEnvironment
  ) -> DocumentFile {
    var reader = DocumentReader(surroundings: surroundings)
    do {
      let root = try DocumentElement.read(text, file: name)
      reader.readFile(root, name: name, depth: 0)
    } catch {
      reader.file.faults.append(error)
    }
    let inOrder = { (one: DocumentFault, other: DocumentFault) in
      (one.file == other.file ? 0 : 1, one.line, one.column)
        < (0, other.line, other.column)
    }
    reader.file.faults.sort(by: inOrder)
    if reader.file.faults.count > mostFaults {
      reader.file.faults.removeLast(reader.file.faults.count - mostFaults)
    }
    return reader.file
  }

  /// Reads the document of a file, with those inside it, and returns its number.
  @discardableResult
  mutating func readFile(_ root: DocumentElement, name: String, depth: Int) -> Int? {
    var chunk = ChunkWriter(file: name, number: file.chunks.count)
    file.chunks.append(.init(file: name, text: ""))
    let number = readDocument(root, &chunk, depth: depth)
    // The state has a field for each variable, and one for the variables of each other document.
    let fields = depth > 0 ? [] : file.fields
    file.chunks[chunk.number] = .init(file: name, text: chunk.whole(declaring: fields))
    return number
  }

  /// Reads a document, and returns its number.
  mutating func readDocument(
    _ root: DocumentElement, _ chunk: inout ChunkWriter, depth: Int
  ) -> Int? {
    guard root.name == "scxml" else {
      let isOther = root.written.split(separator: ":").last == "scxml" && root.namespace != nil
      fault(
        root, chunk,
        isOther
          ? "the namespace is \(root.namespace ?? ""); SCXML's is \(DocumentElement.namespace)"
          : "the document begins with <\(root.written)>; SCXML begins with <scxml>")
      return nil
    }
    guard file.documents.count < DocumentReader.mostDocuments, depth < DocumentReader.deepest else {
      fault(
        root, chunk,
        depth < DocumentReader.deepest
          ? "there are more than \(DocumentReader.mostDocuments) documents that contain or invoke each other"
          : "documents invoke each other more than \(DocumentReader.deepest) deep")
      return nil
    }
    let number = file.documents.count
    let model = Document.DataModel(root["datamodel"])
    let stem = chunk.file.split(separator: "/").last.map(String.init) ?? chunk.file
    let plain = stem.hasSuffix(".scxml") ? String(stem.dropLast(6)) : stem
    let name = root["name"] ?? (depth == 0 ? plain : "document \(number)")
    file.documents.append(
      Document(
        name: name, dataModel: model,
        chart: Chart(
          name: name, place: chunk.place(root.line), dialect: .scxml, states: [], regions: [])))
    if case .other(let model) = model {
      obstruct(
        root, chunk,
        "the data model \(model) is not supported; lua, null, and a part of ecmascript are"
      )
    }
    let outer = chunk.document
    chunk.document = number
    var charting = ChartConverter(
      reader: self, chunk: chunk, number: number, model: model, depth: depth)
    charting.read(root)
    self = charting.reader
    chunk = charting.chunk
    chunk.document = outer
    return number
  }

  // MARK: Errors

  /// - Parameter line: the line in the document, if it is not the element's.
  mutating func fault(
    _ element: DocumentElement, _ chunk: ChunkWriter, _ message: String, line: Int? = nil
  ) {
    var fault = made(element, chunk, message)
    if let line, line != fault.line {
      fault = DocumentFault(file: fault.file, line: line, column: 1, message: message)
    }
    file.faults.append(fault)
  }

  mutating func obstruct(_ element: DocumentElement, _ chunk: ChunkWriter, _ message: String) {
    file.obstacles.append(made(element, chunk, message))
  }

  /// - Parameter line: the line at fault, if it is not the one in which the element begins.
  mutating func warn(
    _ element: DocumentElement, _ chunk: ChunkWriter, _ message: String, at line: Int? = nil
  ) {
    guard let line, line != element.line else {
      return file.warnings.append(made(element, chunk, message))
    }
    file.warnings.append(
      DocumentFault(file: chunk.file, line: line, column: 1, message: message))
  }

  private func made(
    _ element: DocumentElement, _ chunk: ChunkWriter, _ message: String
  ) -> DocumentFault {
    DocumentFault(
      file: chunk.file, line: element.line, column: element.column, message: message)
  }
}

/// A writer of the Lua functions of a file's documents, in document order.
struct ChunkWriter {
  /// The names of the runtime's functions, which are locals of the chunk.
  static let words = [
    "raise", "send", "new_id", "cancel", "log", "write", "holds", "each", "illegal", "param", "set",
    "script", "add", "truthy", "both", "either", "plus", "plain",
    "pick", "place", "length", "has", "kind", "named", "is_array", "list", "map",
    "equals", "less", "at_most", "minus", "times", "over", "modulo", "negate", "number", "get",
    "call", "change", "invoke",
  ]

  let file: String
  /// The number of this chunk among those of all files.
  let number: Int
  /// The number of the document whose functions are being written.
  var document = 0
  private var text = LuaText()
  private var count = 0
  /// The numbers of the functions that are scripts of documents.
  private var scripts: [Int] = []

  init(file: String, number: Int) {
    (self.file, self.number) = (file, number)
    let words = ChunkWriter.words.map { "__\($0)" }.joined(separator: ", ")
    text.put("local __E, __load, \(words) = scxml() local __all = {")
  }

  /// Returns the text, with a declaration of fields that begin without a value.
  func whole(declaring fields: [String]) -> String {
    let fields = fields.map { "[\(LuaText.quoted($0))] = none" }.joined(separator: ", ")
    let scripts = scripts.map(String.init).joined(separator: ", ")
    return text.text + "} machine.document(__all) __load(__all, { \(scripts) })"
      + (fields.isEmpty ? "" : " state { \(fields) }")
  }

  func place(_ line: Int) -> Chart.Place { .init(file: file, line: line) }

  mutating func put(_ part: String, at line: Int? = nil) { text.put(part, at: line) }

  /// Begins a function; its body must be written next.
  mutating func begin(at line: Int) {
    if count > 0 { text.put(",") }
    count += 1
    text.put("function(__s, __a) local _ENV <const> = __E(\(document), __s, __a)", at: line)
  }

  mutating func end() { text.put("end") }

  /// Marks the current function as a script, which also runs when the flow loads, for the functions that it defines.
  mutating func noteScript() { scripts.append(count) }

  /// The current line.
  var line: Int { text.line }
}
