import CChecksum
import CExplore
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// The identity of a checkpoint: its exploration, and the program that wrote it.
struct CheckpointIdentity: Equatable {
  /// A source text that influences the findings.
  struct Source: Equatable {
    let name: String
    let text: String
  }

  /// The files of the flow, the main file first.
  let flow: [Source]
  /// The exploration file; nil if there is none.
  let file: Source?
  /// The files that the exploration file requires.
  var modules: [Source] = []
  /// The name of the exploration in the exploration file.
  let name: String?
  /// The options that influence the findings, in the syntax of the command line.
  let options: String
  /// The format of the search's data, and the checksum of the program that wrote it.
  let format: UInt64
  let program: UInt32

  init(
    _ flow: LoadedFlow, _ setup: ExplorationSetup, _ bounds: ExplorationBounds, name: String?
  ) {
    self.flow = flow.texts.map { Source(name: $0.name, text: $0.text) }
    file = setup.said.source.map { Source(name: $0.name, text: $0.text) }
    self.name = name
    var options: [String] = []
    if bounds.states > 0 { options.append("--max-states \(bounds.states)") }
    if bounds.depth > 0 { options.append("--max-depth \(bounds.depth)") }
    if bounds.hashes { options.append("--hash") }
    self.options = options.joined(separator: " ")
    format = explore_format()
    program = CheckpointIdentity.thisProgram
  }

  /// The checksum of the running program; 0 if it cannot be read.
  private static let thisProgram: UInt32 = {
    #if os(Linux)
      let path = "/proc/self/exe"
    #else
      let path = CommandLine.arguments.first ?? ""
    #endif
    guard let file = try? RegularFile(path) else { return 0 }
    var sum: UInt32 = 0
    var block = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = block.withUnsafeMutableBytes { file.read(into: $0) }
      guard count > 0 else { return sum }
      sum = checksum_crc32c(sum, block, count)
    }
  }()

  /// The title in messages: `jugs.lua: the jugs`.
  var title: String {
    (flow.first?.name ?? "") + (name.map { ": \($0)" } ?? "")
  }

  /// Returns true if the names of flow, file and exploration agree, even if their contents have changed.
  func isNamedLike(_ other: CheckpointIdentity) -> Bool {
    func last(_ name: String?) -> Substring? { name?.split(separator: "/").last }
    return last(flow.first?.name) == last(other.flow.first?.name)
      && last(file?.name) == last(other.file?.name) && name == other.name
  }

  /// Returns the reason why this checkpoint cannot be resumed by the given exploration; nil if it can.
  func difference(to now: CheckpointIdentity) -> String? {
    if self == now { return nil }
    let anew = "explore again, without --resume"
    if format != now.format || program != now.program {
      return "it was written by another build of moonlatch: use that one, or \(anew)"
    }
    if !isNamedLike(now) { return "it belongs to \(title), not to \(now.title)" }
    if options != now.options {
      return "it was explored with other bounds: use "
        + (options.isEmpty ? "neither --max-states nor --max-depth nor --hash" : options)
    }
    func texts(_ identity: CheckpointIdentity) -> [Source] {
      identity.flow + (identity.file.map { [$0] } ?? []) + identity.modules
    }
    let (then, here) = (texts(self), texts(now))
    for (old, new) in zip(then, here) where old.text != new.text {
      return "\(new.name) has changed since: \(anew)"
    }
    for (old, new) in zip(then, here) where old.name != new.name {
      return "\(new.name) was called \(old.name): resume from the same folder"
    }
    return "the flow now requires other files: \(anew)"
  }

  /// Adds the modules that the exploration file has required.
  ///
  /// - Parameter texts: all source texts by their names.
  mutating func add(modulesAmong texts: [String: String]) {
    guard file != nil else { return }
    let others = Set(flow.map(\.name) + [file?.name ?? ""])
    modules = texts.filter { !others.contains($0.key) }.sorted { $0.key < $1.key }.map {
      Source(name: $0.key, text: $0.value)
    }
  }

  // MARK: As bytes

  func write(to writer: inout ValueWriter) {
    // The build comes first, because another one may encode the rest differently.
    writer.writeWord(format)
    writer.writeWord(UInt64(program))
    writer.writeText(options)
    writer.write(name.map { .string($0) } ?? .nil)
    for sources in [flow, file.map { [$0] } ?? [], modules] {
      writer.writeCount(sources.count)
      for source in sources {
        writer.writeText(source.name)
        writer.writeText(source.text)
      }
    }
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    format = try reader.readWord()
    program = UInt32(truncatingIfNeeded: try reader.readWord())
    options = try reader.readText()
    name = try reader.value().stringValue
    func sources() throws(ValueReader.Malformed) -> [Source] {
      var sources: [Source] = []
      for _ in 0..<(try reader.readLength()) {
        sources.append(Source(name: try reader.readText(), text: try reader.readText()))
      }
      return sources
    }
    flow = try sources()
    file = try sources().first
    modules = try sources()
  }
}
