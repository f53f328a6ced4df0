import FlowLanguage
import LuaRuntime
import Platform

/// Runs a host file, and reads what it declares.
struct HostFileReader {
  private static let prelude = Prelude(
    Prelude.Chunk(text: PackageResources.host_file_lua, code: PackageResources.host_file_luac))

  let capabilities: [HostCapability]
  let patterns: HostFilePatterns

  init(_ file: URL, limits: Limits) throws {
    let script = try ScriptFile(
      file, limits: limits, log: ScriptLog { _ in }, checksDeclarations: true)
    let budget = limits.instructionsPerLoad
    try HostFileReader.prelude.run(in: script.vm, phase: .loading, budget: budget)
    let function = try script.vm.preludeFunction("host_file")
    let declared: Value
    do throws(ScriptError) {
      declared =
        try script.vm.call(
          function, [.integer(Int(script.chunk.number))], phase: .loading, budget: budget
        ).first ?? .nil
    } catch {
      throw FlowError([Diagnostic(error, in: script.name)])
    }
    let faults = HostFileReader.faults(in: declared)
    if !faults.isEmpty { throw FlowError(faults) }
    let read = (declared["capabilities"]?.listValue ?? []).map(HostCapability.init)
    let doubled = HostFileReader.doubled(in: read)
    if !doubled.isEmpty { throw FlowError(doubled) }
    capabilities = read
    patterns = HostFilePatterns(script)
  }

  private static func faults(in declared: Value) -> [Diagnostic] {
    (declared["faults"]?.listValue ?? []).map { fault in
      Diagnostic(
        file: fault["file"]?.stringValue ?? "", line: fault["line"]?.integerValue ?? 0,
        message: fault["message"]?.stringValue ?? "")
    }
  }

  private static func doubled(in capabilities: [HostCapability]) -> [Diagnostic] {
    var known: [String: SourcePlace] = [:]
    return capabilities.compactMap { capability in
      guard let first = known.updateValue(capability.place, forKey: capability.title) else {
        return nil
      }
      return Diagnostic(
        file: capability.place.file, line: capability.place.line,
        message: "\(capability.title) is provided twice: here and at \(first)")
    }
  }
}
