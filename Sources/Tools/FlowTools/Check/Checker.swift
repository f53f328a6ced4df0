import FlowKernel
import FlowLanguage
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
  private let limits: Limits
  private var texts: [String: FlowText] = [:]
  /// The scenario files of each flow, by the flow's path.
  private var scenarios: [String: [ScenarioSource]] = [:]

  /// Checks files and folders, and the flows of the scenario files among them.
  ///
  /// - Parameters:
  ///   - isDurable: true if the flows must survive a restart.
  ///   - reportsUnread: true if views and fields that nothing reads are reported.
  ///   - limits: the limits of the flows.
  ///   - readFlow: returns the flow of a scenario file.
  package init(
    _ paths: [String], isDurable: Bool = false, reportsUnread: Bool = false,
    limits: Limits = Limits(), readFlow: ScenarioFlow.Reader
  ) {
    (self.paths, self.isDurable, self.limits) = (paths, isDurable, limits)
    self.reportsUnread = reportsUnread
    let selected = CheckedFiles(paths)
    reach = selected.reach
    findings = selected.faults.map { Finding(.fault, $0) }
    for file in selected.flows { load(file) }
    for file in selected.scenarios { readScenarios(file, readFlow) }
    for file in selected.others { compile(file) }
    for (path, text) in texts { check(text, at: path) }
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
