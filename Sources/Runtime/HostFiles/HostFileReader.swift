import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// Runs a host file, and reads what it declares.
struct HostFileReader {
  let capabilities: [HostCapability]
  let patterns: HostFilePatterns
  let hooks: [HostHook]
  let notifications: [HostNotification]
  let functions: HostFunctions
  let texts: HostTexts

  init(_ file: URL, limits: Limits, reading source: HostTexts.Source) throws {
    let texts = HostTexts(source, folder: file.deletingLastPathComponent())
    do {
      let vm = try HostFileVM(FlowSources(file: file), limits: limits, texts: texts)
      let lines = HostFileLines(vm.script.texts)
      (capabilities, notifications) = try HostFileReader.performers(in: vm, texts, lines)
      hooks = (vm.declared["hooks"]?.listValue ?? []).map { HostHook($0, lines) }
      patterns = HostFilePatterns(limits)
      functions = HostFunctions(vm.script.sources, limits: limits, texts: texts)
    } catch let error as FlowError {
      throw FlowError(error.faults.map { HostFileReader.hiding($0, texts) })
    }
    self.texts = texts
  }

  /// Returns a fault without the texts that it must not show.
  private static func hiding(_ fault: Diagnostic, _ texts: HostTexts) -> Diagnostic {
    var fault = fault
    fault.message = texts.hiding(fault.message)
    return fault
  }

  /// Returns the declared capabilities and notifications.
  ///
  /// - Throws: `FlowError` with all faults, those of webhooks too.
  private static func performers(
    in vm: HostFileVM, _ texts: HostTexts, _ lines: HostFileLines
  ) throws(FlowError) -> ([HostCapability], [HostNotification]) {
    var faults = HostFileReader.faults(in: vm.declared, vm.script.name, lines)
    // Several capabilities may share a performer, which has each fault once.
    func add(_ messages: [String], of word: String = "http", _ place: SourcePlace) {
      for message in messages {
        let fault = Diagnostic(file: place.file, line: place.line, message: "\(word): \(message)")
        if !faults.contains(fault) { faults.append(fault) }
      }
    }
    var read: [HostCapability] = []
    for entry in vm.declared["capabilities"]?.listValue ?? [] {
      var own: [String] = []
      let capability = HostCapability(entry, texts, faults: &own)
      read.append(capability)
      add(own, of: capability.kind == .command ? "command" : "http", capability.place)
    }
    var notifications: [HostNotification] = []
    for entry in vm.declared["notifications"]?.listValue ?? [] {
      var own: [String] = []
      if let notification = HostNotification(entry, texts, faults: &own) {
        notifications.append(notification)
      }
      add(own, SourcePlace(describedIn: entry))
    }
    if !faults.isEmpty { throw FlowError(faults) }
    let doubled = HostFileReader.doubled(in: read)
    if !doubled.isEmpty { throw FlowError(doubled) }
    return (read, notifications)
  }

  /// Returns the faults of the file; those without a place are of the whole file.
  private static func faults(
    in declared: Value, _ name: String, _ lines: HostFileLines
  ) -> [Diagnostic] {
    (declared["faults"]?.listValue ?? []).map { fault in
      let file = fault["file"]?.stringValue ?? ""
      var place = SourcePlace(
        file: file.isEmpty ? name : file, line: fault["line"]?.integerValue ?? 0)
      let word = fault["inside"]?["word"]?.stringValue
      if file.isEmpty, let word {
        place = lines.place(ofAssignmentTo: word) ?? place
      } else if word == "hooks", let hook = fault["inside"]?["name"]?.stringValue {
        place = lines.place(ofHook: hook, endingAt: place)
      }
      return Diagnostic(
        file: place.file, line: place.line, message: fault["message"]?.stringValue ?? "")
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
