import Bench
import Foundation

// How fast `moonlatch explore` goes through the states of a flow, process and all, beside Spin's search through the same
// states, one core each, in turns. Medians of the rounds.
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

/// What an exploration took.
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

/// Spin's breadth-first search for a model; nil where there is no Spin.
private func spin(_ name: String) throws -> [String]? {
  let made = folder.appending(path: "spin-\(name)")
  try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
  let model = models.appending(path: "\(name).pml").path
  guard (try? Child(["spin", "-a", model], in: made)) != nil else { return nil }
  let gcc = ["gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-DBFS", "-w", "-o", "search", "pan.c"]
  guard (try? Child(gcc, in: made)) != nil else { return nil }
  return [made.appending(path: "search").path, "-E", "-m10000000", "-w24"]
}

run { report in
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  try copy("two-phase-commit.lua", replacing: "MANAGERS = 3", by: "MANAGERS = 8")
  try copy("philosophers.lua", replacing: "PLACES = 5", by: "PLACES = 12")
  for name in ["plant.lua", "sums.lua", "queue.lua", "digits.lua", "promises.explore.lua"] {
    try copy(name)
  }

  var two = Measured()
  for name in ["two-phase-commit", "philosophers"] {
    let peer = try spin(name)
    var measured = Measured()
    var taken: [Double] = []
    for _ in 0..<rounds {
      try explore("\(name).lua", into: &measured)
      if let peer { taken.append(try Child(peer, in: folder).seconds) }
    }
    report.title(measured.first)
    report.target("states a CPU second", measured.rate, atLeast: 1.5, "million")
    if taken.isEmpty {
      report.unmeasured("against Spin's breadth-first search", "there is no Spin or no gcc")
    } else {
      report.figure("Spin's breadth-first search", measured.states / median(taken) / 1e6, "million")
      report.target(
        "against Spin's breadth-first search", median(taken) / median(measured.seconds), atLeast: 2)
    }
    if name == "two-phase-commit" { two = measured }
  }

  // What a process takes that explores one state is no state's.
  let empty = try explored("two-phase-commit.lua", ["--max-states", "1"], rounds: 1).bytes
  report.title("Memory, all of the process but what one state takes")
  report.target(
    "two-phase commit, a state", (two.bytes - empty) / two.states, atMost: 40, "bytes")
  let hashed = try explored("two-phase-commit.lua", ["--hash"], rounds: 1)
  report.target(
    "the same with --hash", (hashed.bytes - empty) / hashed.states, atMost: 28, "bytes")

  report.title("Two threads beside one, two-phase commit")
  var one = Measured()
  var both = Measured()
  for _ in 0..<rounds {
    try explore("two-phase-commit.lua", into: &one)
    try explore("two-phase-commit.lua", ["--jobs", "2"], into: &both)
  }
  try WrongResult.unless(one.first == both.first, "\(one.first)\n\(both.first)")
  report.target("CPU", median(both.seconds) / median(one.seconds), atMost: 1.15)
  report.figure("time", median(both.wall) / median(one.wall), "times")

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
