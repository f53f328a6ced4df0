import FlowKernel
import FlowLanguage
import HostFiles
import LuaRuntime
import Platform

/// A check of flows and scenario files, which runs only their declarations.
package struct Checker {
  /// All findings, in the order of file and line.
  package private(set) var findings: [Finding] = []
  /// The number of checked files, modules included.
  package var fileCount: Int { files.count }

  /// The names of the checked files.
  package private(set) var files: Set<String> = []

  private let reach: PathSandbox
  private let paths: [String]
  private let isDurable: Bool
  private let reportsUnread: Bool
  private let hostFile: HostFileChoice
  private let limits: Limits
  private var texts: [String: FlowText] = [:]
  /// The scenario files of each flow, by the flow's path.
  private var scenarios: [String: [ScenarioSource]] = [:]

  /// Checks files and folders, and the flows of the scenario files among them.
  ///
  /// - Parameters:
  ///   - isDurable: true if the flows must survive a restart.
  ///   - reportsUnread: true if views and fields that nothing reads are reported.
  ///   - hostFile: the choice of the flows' host files.
  ///   - limits: the limits of the flows.
  ///   - readFlow: returns the flow of a scenario file.
  package init(
    _ paths: [String], isDurable: Bool = false, reportsUnread: Bool = false,
    hostFile: HostFileChoice = .beside, limits: Limits = Limits(), readFlow: ScenarioFlow.Reader
  ) {
    (self.paths, self.isDurable, self.limits) = (paths, isDurable, limits)
    (self.reportsUnread, self.hostFile) = (reportsUnread, hostFile)
    let selected = CheckedFiles(paths)
    reach = selected.reach
    findings = selected.faults.map { Finding(.fault, $0) }
    for file in selected.flows { load(file) }
    for file in selected.scenarios { readScenarios(file, readFlow) }
    for file in selected.others { compile(file) }
    for file in selected.hostFiles { loadFlow(beside: file) }
    for (path, text) in texts { check(text, at: path) }
    checkHostFiles()
    for file in selected.hostFiles where !files.contains(file.name) { checkAlone(file) }
    findings += findings.filter { $0.kind == .fault }.compactMap(UncalledWords.before)
    findings = Array(Set(findings)).sorted {
      ($0.fault.file, $0.fault.line, $0.fault.message)
        < ($1.fault.file, $1.fault.line, $1.fault.message)
    }
  }

  package func count(_ severity: Finding.Severity) -> Int {
    findings.filter { $0.severity == severity }.count
  }

  /// The files and folders whose changes may change the findings.
  package var watched: Set<String> {
    let folders = files.map { URL(filePath: $0).deletingLastPathComponent().path }
    return files.union(paths).union(folders)
  }

  private mutating func load(_ file: CheckedFiles.File) {
    let path = file.url.resolvingSymlinksInPath().path
    guard texts[path] == nil, files.insert(file.name).inserted else { return }
    attempt(in: file.name) { checker in
      let loaded = try LoadedFlow(
        FlowSources(file: file.url, displayName: file.name), limits: checker.limits,
        log: ScriptLog { _ in })
      let text = FlowText(loaded)
      checker.files.formUnion(text.sources.map(\.name))
      checker.texts[path] = text
    }
  }

  private mutating func readScenarios(_ file: CheckedFiles.File, _ readFlow: ScenarioFlow.Reader) {
    files.insert(file.name)
    attempt(in: file.name) { checker in
      let flow = try readFlow(file.url, file.name, checker.reach)
      let source = try ScenarioSource(file.url, name: file.name)
      let path = URL(filePath: flow.path).resolvingSymlinksInPath().path
      checker.load(CheckedFiles.File(name: flow.name))
      checker.scenarios[path, default: []].append(source)
      if let text = checker.texts[path] { checker.findings += source.findings(for: text) }
    }
  }

  private mutating func compile(_ file: CheckedFiles.File) {
    files.insert(file.name)
    attempt(in: file.name) { checker in
      let text = try TextFile.read(file.url, name: file.name)
      _ = try Bytecode(text, name: file.name, memoryLimit: checker.limits.memory)
    }
  }

  private mutating func check(_ text: FlowText, at path: String) {
    let read = scenarios[path].map { Set($0.flatMap(\.views)) }
    attempt(in: text.flow.file) { checker in
      let (found, fault) = FlowCheck(
        text: text, viewsReadOutside: read, isDurable: checker.isDurable,
        reportsUnread: checker.reportsUnread
      ).run()
      checker.findings += found
      if let fault { throw fault }
    }
  }

  // MARK: Host files

  /// Loads the flow of a host file, if there is one.
  private mutating func loadFlow(beside file: CheckedFiles.File) {
    guard hostFile == .beside else { return }
    let stem = String(file.name.dropLast(FlowFile.hostFileSuffix.count))
    for suffix in FlowFile.suffixes where TextFile.kind(of: stem + suffix) == .file {
      load(CheckedFiles.File(name: stem + suffix))
    }
  }

  /// Checks the flows against their host files.
  private mutating func checkHostFiles() {
    if case .file(let path) = hostFile, texts.count > 1 {
      let message = "this is the host file of one flow, and \(texts.count) flows are checked"
      findings.append(Finding(.fault, Diagnostic(file: path, line: 0, message: message)))
      return
    }
    for text in texts.values {
      let flow = CheckedFiles.File(name: text.flow.file)
      guard let url = hostFile.url(for: flow.url) else { continue }
      let folder = Checker.folder(of: text.flow.file)
      var name = folder + url.lastPathComponent
      if case .file(let path) = hostFile { name = path }
      check(text, against: url, named: name)
    }
  }

  private mutating func check(_ text: FlowText, against url: URL, named name: String) {
    files.insert(name)
    attempt(in: name) { checker in
      if checker.hostFile == .beside,
        let problem = checker.reach.problem(with: url.path, named: name)
      {
        throw FlowError([Diagnostic(file: name, line: 0, message: problem)])
      }
      let file = try checker.loadHostFile(at: url, named: name)
      let source = LuaSource(name: name, text: try TextFile.read(url, name: name))
      checker.findings +=
        HostFileCheck(
          text: text, file: file, source: source, folder: Checker.folder(of: name)
        ).findings
    }
  }

  /// Checks a host file whose flow is not checked.
  private mutating func checkAlone(_ file: CheckedFiles.File) {
    if hostFile != .beside { return compile(file) }
    files.insert(file.name)
    attempt(in: file.name) { checker in
      _ = try checker.loadHostFile(at: file.url, named: file.name)
    }
  }

  /// Loads a host file, whose faults have the names of its files from here.
  private func loadHostFile(at url: URL, named name: String) throws -> HostFile {
    let folder = Checker.folder(of: name)
    do {
      return try HostFile(url, limits: limits, reading: .names)
    } catch let error as FlowError {
      throw FlowError(
        error.faults.map { fault in
          var fault = fault
          fault.file = folder + fault.file
          return fault
        })
    } catch let error as ScriptError {
      let file = folder + (error.chunk ?? url.lastPathComponent)
      throw FlowError([Diagnostic(file: file, line: error.line ?? 0, message: error.message)])
    }
  }

  /// Returns the folder of a name, with its slash; empty for a name without a folder.
  private static func folder(of name: String) -> String {
    name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
  }

  /// Runs `body` for a file; an error of it becomes a finding.
  private mutating func attempt(
    in file: String, _ body: (inout Checker) throws -> Void
  ) {
    do {
      try body(&self)
    } catch let error as FlowError {
      findings += error.faults.map { Finding(.fault, $0) }
    } catch let error as ScriptError {
      findings.append(
        Finding(
          .fault,
          Diagnostic(file: error.chunk ?? file, line: error.line ?? 0, message: error.message)))
    } catch let error as TextFile.Unreadable {
      findings.append(Finding(.fault, Diagnostic(file: file, line: 0, message: error.reason)))
    } catch {
      findings.append(Finding(.fault, Diagnostic(file: file, line: 0, message: "\(error)")))
    }
  }
}
