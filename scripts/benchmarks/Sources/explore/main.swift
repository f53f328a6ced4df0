import Bench
import Foundation

// How fast `moonlatch explore` goes through the states of published models with their properties, process and all, beside
// Spin's searches through the same states with the same properties, and a naive search in plain Lua: one core each, in
// turns. Medians of the rounds.
//
//   explore COMMAND ROOT FOLDER [--check]

private let rounds = 5
private let arguments = CommandLine.arguments
guard arguments.count > 3 else {
  FileHandle.standardError.write(Data("usage: explore COMMAND ROOT FOLDER\n".utf8))
  exit(64)
}
private let command = arguments[1]
private let examples = URL(filePath: arguments[2]).appending(path: "examples/explore")
private let models = URL(filePath: arguments[2]).appending(
  path: "scripts/benchmarks/Sources/explore/Models")
private let folder = URL(filePath: arguments[3])

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The flow of an example, with another number in it.
private func copy(_ name: String, replacing old: String = "", by new: String = "") throws {
  let isExample = FileManager.default.fileExists(
    atPath: examples.appending(path: name).path)
  let from = (isExample ? examples : models).appending(path: name)
  var text = try String(contentsOf: from, encoding: .utf8)
  try WrongResult.unless(old.isEmpty || text.contains(old), "\(name) has no \(old)")
  if !old.isEmpty { text = text.replacingOccurrences(of: old, with: new) }
  try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
}

/// The measurements of an exploration.
private struct Measured {
  var states = 0.0
  var seconds: [Double] = []
  var wall: [Double] = []
  var bytes = 0.0
  var first = ""

  var rate: Double { states / median(seconds) / 1e6 }
}

private func explore(
  _ file: String, _ options: [String] = [], into measured: inout Measured
) throws {
  let child = try Child(
    [command, "explore", file, "--jobs", "1", "--write", folder.path] + options, in: folder,
    codes: [0, 1, 6])
  measured.first = child.output.split(separator: "\n").first.map(String.init) ?? ""
  let words = measured.first.split(separator: " ")
  guard let place = words.firstIndex(where: { $0.hasPrefix("state") }), place > 0,
    let states = Double(words[place - 1].replacingOccurrences(of: ",", with: ""))
  else { throw WrongResult("\(file): \(child.output)") }
  measured.states = states
  measured.seconds.append(child.seconds)
  measured.wall.append(child.wall)
  measured.bytes = max(measured.bytes, child.bytes)
}

private func explored(
  _ file: String, _ options: [String] = [], rounds: Int = rounds
) throws -> Measured {
  var measured = Measured()
  for _ in 0..<rounds { try explore(file, options, into: &measured) }
  return measured
}

/// Spin's searches for a model, breadth first and depth first; none where there is no Spin.
private func spin(_ name: String) throws -> [[String]] {
  let made = folder.appending(path: "spin-\(name)")
  try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
  let model = models.appending(path: "\(name).pml").path
  guard FileManager.default.fileExists(atPath: model),
    (try? Child(["spin", "-a", model], in: made)) != nil
  else { return [] }
  return ["breadth": ["-DBFS"], "depth": []].sorted { $0.key < $1.key }.compactMap {
    search, option in
    let gcc = ["gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-w", "-o", search] + option + ["pan.c"]
    guard (try? Child(gcc, in: made)) != nil else { return nil }
    return [made.appending(path: search).path, "-E", "-m10000000", "-w24"]
  }
}

/// A model of a publication, with its properties, beside the faster of Spin's searches, which asserts the same, and a
/// naive search in plain Lua.
private struct Model {
  let file: String
  var peer = ""
  /// CPU seconds of the whole process at most; nil if it is its rate that counts.
  var most: Double?
  var rate: Double?
  var isNaive = true

  func measure(_ report: inout BenchmarkReport) throws -> Measured {
    let searches = try spin(peer.isEmpty ? "none" : peer)
    var measured = Measured()
    var spins = searches.map { _ in [Double]() }
    var naive: [Double] = []
    for _ in 0..<rounds {
      try explore(file, into: &measured)
      for (number, search) in searches.enumerated() {
        spins[number].append(try Child(search, in: folder).seconds)
      }
      if isNaive {
        naive.append(
          try Child(["lua5.4", models.appending(path: "naive.lua").path, file], in: folder).seconds)
      }
    }
    report.title(measured.first)
    let seconds = median(measured.seconds)
    if let most { report.target("CPU, process and all", seconds, atMost: most, "s") }
    if let rate { report.target("states a CPU second", measured.rate, atLeast: rate, "million") }
    if let best = spins.map(median).min() {
      report.figure("Spin, the faster of both searches", best, "s")
      report.figure("beside Spin", seconds / best, "times the time")
    } else if !peer.isEmpty {
      report.unmeasured("beside Spin", "there is no Spin or no gcc")
    }
    if isNaive {
      report.target(
        "beside a naive search in plain Lua", seconds / median(naive), atMost: 1, "times the time")
    }
    return measured
  }
}

run { report in
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  try copy("two-phase-commit.lua", replacing: "MANAGERS = 3", by: "MANAGERS = 8")
  try copy("philosophers.lua", replacing: "PLACES = 5", by: "PLACES = 12")
  let files = [
    "plant.lua", "sums.lua", "queue.lua", "digits.lua", "promises.explore.lua",
    "consistent.explore.lua", "barriers.lua", "ewd840.lua", "chameneos.lua", "puzzle.lua",
    "editor.lua", "timers.lua", "cart.lua",
  ]
  for file in files { try copy(file) }

  let two = try Model(
    file: "consistent.explore.lua", peer: "two-phase-commit", rate: 1.5, isNaive: false
  ).measure(&report)
  for model in [
    Model(file: "philosophers.lua", peer: "philosophers", rate: 1.5, isNaive: false),
    Model(file: "barriers.lua", peer: "barriers", most: 0.06), Model(file: "ewd840.lua"),
    Model(file: "chameneos.lua"), Model(file: "puzzle.lua"), Model(file: "editor.lua"),
    Model(file: "cart.lua", most: 0.3), Model(file: "timers.lua", most: 2, isNaive: false),
  ] {
    _ = try model.measure(&report)
  }

  // The memory of a process that explores one state belongs to no state.
  let empty = try explored("consistent.explore.lua", ["--max-states", "1"], rounds: 1).bytes
  report.title("Memory, all of the process but what one state takes")
  report.target(
    "two-phase commit, a state", (two.bytes - empty) / two.states, atMost: 40, "bytes")
  let hashed = try explored("consistent.explore.lua", ["--hash"], rounds: 1)
  report.target(
    "the same with --hash", (hashed.bytes - empty) / hashed.states, atMost: 28, "bytes")

  report.title("Two threads beside one, two-phase commit")
  var one = Measured()
  var both = Measured()
  for _ in 0..<rounds {
    try explore("consistent.explore.lua", into: &one)
    try explore("consistent.explore.lua", ["--jobs", "2"], into: &both)
  }
  try WrongResult.unless(one.first == both.first, "\(one.first)\n\(both.first)")
  report.target("CPU", median(both.seconds) / median(one.seconds), atMost: 1.15)
  report.target("times as fast", median(one.wall) / median(both.wall), atLeast: 1.6)

  report.title("A promise, two-phase commit")
  let promised = try explored("promises.explore.lua", rounds: 3)
  report.target(
    "CPU seconds more", median(promised.seconds) - median(two.seconds), atMost: 2, "s")
  report.target(
    "a state, more", (promised.bytes - two.bytes) / promised.states, atMost: 20, "bytes")

  for (file, least, most) in [
    ("plant.lua", 0.5, nil), ("sums.lua", 0.1, nil), ("queue.lua", 0.3, 100.0),
  ] as [(String, Double, Double?)] {
    let measured = try explored(file, rounds: 3)
    report.title(measured.first)
    report.target("states a CPU second", measured.rate, atLeast: least, "million")
    let bytes = (measured.bytes - empty) / measured.states
    if let most { report.target("a state", bytes, atMost: most, "bytes") }
    if file == "sums.lua" {
      report.target(
        "all but 40 bytes a state", (measured.bytes - empty - 40 * measured.states) / 1e6,
        atMost: 64, "MB")
    }
  }

  let small = try explored("digits.lua", rounds: 21)
  report.title(small.first)
  report.target("process and all", median(small.wall) * 1_000, atMost: 50, "ms")
}
