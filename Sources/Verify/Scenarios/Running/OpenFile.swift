import FlowKernel
import FlowLanguage
import LuaRuntime

/// A scenario file that is being run, each scenario against a fresh flow in a fresh VM.
///
/// The VM in which the file ran to declare its scenarios plays the first of them, since nothing else has run there. It
/// needs the flow before the file has run, so the flow's name is guessed from the text and then compared with the one
/// that the file declares. For all other scenarios the file runs once more, in a VM that is restored to that moment
/// before each of them. Running the file again for each scenario would take time in the square of their number.
package final class OpenFile {
  package struct Unloadable: Error, CustomStringConvertible {
    package let description: String

    init(_ error: any Error) {
      description =
        switch error {
        case let error as ScriptError: error.report
        case let error as FlowError: error.report
        default: String(describing: error)
        }
    }

    init(_ description: String) { self.description = description }
  }

  package let file: ScenarioFile
  private let settings: PlaySettings
  private let flows: FlowCache
  private let room: Snapshots.Reservation
  private let modules: ScenarioModules
  private var prepared: Prepared?
  /// The VM in which the file has run, while no scenario uses it.
  private var declared: PreparedVM?
  /// True if the file has to run for each scenario.
  private var runsForEach = false
  /// The number of times that the file has run.
  private(set) var fileRuns = 0

  /// The number of scenarios from which an image pays off; the first scenario has a VM already.
  private static let fewest = 3

  /// A scenario about to be played, and the VM to give back after it.
  private struct Prepared {
    let run: ScenarioRun
    let vm: PreparedVM
  }

  /// Opens the file of an item.
  package init(
    _ item: Selection.Item, settings: PlaySettings, flows: FlowCache, room: Snapshots.Reservation
  ) throws(Unloadable) {
    if let problem = item.problem { throw Unloadable(problem) }
    self.settings = settings
    self.flows = flows
    self.room = room
    modules = ScenarioModules(item)
    do {
      let text = try ScenarioFile.read(item.path, name: item.name)
      if let (ready, file) = OpenFile.prepare(item, text: text, settings, flows, room) {
        prepared = ready
        self.file = file
      } else {
        let described = try ScenarioVM.list(
          text, name: item.name, modules: modules, limits: settings.limits)
        file = try ScenarioFile(
          path: item.path, name: item.name, text: text, described: described, reach: item.reach)
      }
      runsForEach = file.entries.count < OpenFile.fewest
      fileRuns = 1
    } catch {
      throw Unloadable(error)
    }
  }

  deinit { if let declared { flows.giveBack(declared) } }

  /// Plays a scenario of the file and returns how it ended.
  ///
  /// - Parameter halted: receives the flow in the state in which the scenario left it: after a problem, before any
  ///   `after_each`.
  package func play(_ entry: ScenarioFile.Entry, halted: ((Halt) -> Void)? = nil) -> ScenarioEnd {
    if let reason = entry.reasonToSkip(settings) { return ScenarioEnd(result: .skipped(reason)) }
    do {
      let capabilities = try liveCapabilities(of: entry)
      let next = try next()
      let end = next.run.play(entry, capabilities, halts: halted != nil)
      if let halted {
        halted(Halt(next.run, in: next.vm, at: entry, of: file))
      } else if next.vm.declared == nil {
        flows.giveBack(next.vm)
      } else if next.vm.goBack() {
        declared = next.vm
      }
      return end
    } catch {
      return ScenarioEnd(result: .unloadable(Unloadable(error).description))
    }
  }

  /// Returns the capabilities that a scenario calls for real; nil if it calls none.
  private func liveCapabilities(of entry: ScenarioFile.Entry) throws -> Capabilities? {
    guard entry.isLive, let live = settings.live else { return nil }
    return try flows.capabilities(
      of: file.flow, named: file.flowName, live, limits: settings.limits)
  }

  private func next() throws -> Prepared {
    if let ready = prepared {
      prepared = nil
      return ready
    }
    let vm = try declared ?? flows.vm(file.flow, named: file.flowName, settings: settings)
    declared = nil
    if runsForEach || !vm.keepsImage { return try declaring(in: vm) }
    do {
      if vm.declared == nil { fileRuns += 1 }
      let run = try ScenarioRun(
        in: vm, modules: modules, settings: settings, room: room, declaring: file.text)
      return Prepared(run: run, vm: vm)
    } catch is PreparedVM.NotDeclared {
      runsForEach = true
      flows.giveBack(vm)
      return try declaring(in: flows.vm(file.flow, named: file.flowName, settings: settings))
    }
  }

  /// Returns a run for which the file has run anew.
  private func declaring(in vm: PreparedVM) throws -> Prepared {
    let run = try ScenarioRun(in: vm, modules: modules, settings: settings, room: room)
    fileRuns += 1
    try run.declare(file.text, isKnown: true)
    return Prepared(run: run, vm: vm)
  }

  /// Returns a run whose VM has run the file.
  ///
  /// Returns nil if anything is not as the text suggests; the caller then takes the slow path, which reports the
  /// problem.
  private static func prepare(
    _ item: Selection.Item, text: String, _ settings: PlaySettings, _ flows: FlowCache,
    _ room: Snapshots.Reservation
  ) -> (Prepared, ScenarioFile)? {
    guard let path = guessedFlow(of: text) else { return nil }
    let (flow, flowName) = ScenarioFile.flow(path, beside: item.path, named: item.name)
    guard item.reach.problem(with: flow, named: flowName) == nil,
      let vm = try? flows.vm(flow, named: flowName, settings: settings),
      let run = try? ScenarioRun(
        in: vm, modules: ScenarioModules(item), settings: settings, room: room),
      let described = try? run.declare(text), described["flow"]?.stringValue == path,
      let file = try? ScenarioFile(
        path: item.path, name: item.name, text: text, described: described, reach: nil)
    else { return nil }
    return (Prepared(run: run, vm: vm), file)
  }

  /// Returns the path in the first line that begins with `flow`, if it reads `flow "path"`.
  static func guessedFlow(of text: String) -> String? {
    var rest = text.utf8[...]
    while !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      if line.starts(with: "flow".utf8) { return path(in: line.dropFirst(4)) }
      rest = rest[line.endIndex...].dropFirst()
    }
    return nil
  }

  private static func path(in line: Substring.UTF8View) -> String? {
    let quoted = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "(") }
    guard let quote = quoted.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    else { return nil }
    let path = quoted.dropFirst().prefix { $0 != quote && $0 != UInt8(ascii: "\\") }
    guard path.endIndex < quoted.endIndex, quoted[path.endIndex] == quote else { return nil }
    return String(path)
  }
}
