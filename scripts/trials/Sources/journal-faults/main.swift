import FlowJournal
import Moonlatch
import Platform

// Faults that scripts/faults causes in journals, in Swift:
//
//   write FOLDER [--writers N] [--entries N] [--size N] [--process] [--keep-log]
//                                                  looks, then writes FOLDER/a.journal and FOLDER/acks
//   look FOLDER [--size N]                         whether all that was acknowledged is there
//   images TRACE --cuts N [--seed N] [--size N]    power cuts at moments of a recorded run
//   flips FOLDER --count N [--seed N] [--size N]   bits turned over
//   raw FOLDER [--size N]                          adds to FOLDER/plain, and notes each time in FOLDER/plain-acks
//   torn FOLDER --count N [--seed N] [--size N]    logs cut off
//   hold FOLDER                                    opens the journal, and reads a line
//   fill FOLDER [--size N]                         writes until it cannot, reads a line, and writes again

func fail(_ message: String) -> Never {
  print(message)
  exit(1)
}

var arguments = CommandLine.arguments.dropFirst()
var options: [String: Int] = [:]
var words: [String] = []
while let argument = arguments.popFirst() {
  if ["--process", "--keep-log"].contains(argument) {
    options[argument] = 1
  } else if argument.hasPrefix("--") {
    options[argument] = arguments.popFirst().flatMap { Int($0) }
  } else {
    words.append(argument)
  }
}
guard words.count == 2 else { fail("usage: journal-faults COMMAND FOLDER [OPTION]...") }
let (command, folder) = (words[0], words[1])
let size = options["--size"] ?? 200
let file = URL(fileURLWithPath: "\(folder)/a.journal")
let acks = "\(folder)/acks"
// The part that is cut off must be in the log alone: a log is copied into the file only once it is on the disk as a
// whole, so a log whose pages are already in the file is never found cut off.
let keepsLog = options["--keep-log"] != nil
let pace = SQLiteJournal.Timing(
  pause: 1, idle: keepsLog ? 3_600_000 : 20, pages: keepsLog ? 1_000_000 : 60)
let durability = options["--process"] == nil ? SQLiteJournal.Durability.full : .process

do {
  switch command {
  case "write":
    let look = Look(at: file, acknowledged: Acknowledged(lines: contents(of: acks)), size: size)
    if let damage = look.damage { fail("damaged: \(damage)") }
    if look.lost > 0 { fail("lost \(look.lost)") }
    let store = try SQLiteJournal(file: file, durability: durability, pace: pace)
    let descriptor = open(acks, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    var workload = Workload()
    workload.writers = options["--writers"] ?? 1
    workload.entries = options["--entries"]
    workload.size = size
    if let error = try workload.write(to: store, acknowledgements: descriptor) {
      print("failed: \(error.kind): \(error)")
    }
    try store.close()
  case "look":
    let acknowledged = Acknowledged(lines: contents(of: acks))
    let look = Look(at: file, acknowledged: acknowledged, size: size, goesOn: false)
    if let damage = look.damage { fail("damaged: \(damage)") }
    if look.lost > 0 { fail("lost \(look.lost)") }
    print("\(acknowledged.values.reduce(0, +)) acknowledged, all there")
  case "images":
    var images = Images(trace: folder, seed: UInt64(options["--seed"] ?? 1))
    if images.isEmpty { fail("damaged: \(folder) notes nothing") }
    let cuts = options["--cuts"] ?? 1_000
    let found = images.run(
      cuts: cuts, scratch: String(folder[..<(folder.lastIndex(of: "/") ?? folder.endIndex)]),
      size: size)
    for damage in found.damage.prefix(5) { print(damage) }
    print(
      "\(cuts) cuts, \(found.lost) lost (at most \(found.most) entries), \(found.damage.count) damaged"
    )
    if found.lost > 0 || !found.damage.isEmpty { exit(1) }
  case "flips":
    var damaged = Damaged(
      file: file, scratch: folder, size: size, seed: UInt64(options["--seed"] ?? 1))
    damaged.flip(options["--count"] ?? 100)
    for wrong in damaged.wrong.prefix(5) { print(wrong) }
    print(
      "\(damaged.refused) refused, \(damaged.noticed) noticed, \(damaged.harmless) harmless, "
        + "\(damaged.wrong.count) wrong")
    if !damaged.wrong.isEmpty { exit(1) }
  case "raw":
    let record = [UInt8](repeating: 7, count: size)
    let (plain, noted) = ("\(folder)/plain", "\(folder)/plain-acks")
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
    let (first, second) = (open(plain, flags, 0o644), open(noted, flags, 0o644))
    #if canImport(Darwin)
      let keep = fsync
    #else
      let keep = fdatasync
    #endif
    while Platform.write(first, record, size) == size && keep(first) == 0 {
      if Platform.write(second, record, 1) != 1 { break }
    }
  case "torn":
    var damaged = Damaged(
      file: file, scratch: folder, size: size, seed: UInt64(options["--seed"] ?? 1))
    damaged.tear(options["--count"] ?? 100)
    for wrong in damaged.wrong.prefix(5) { print(wrong) }
    print("\(damaged.harmless) logs cut off are read up to there, \(damaged.wrong.count) damaged")
    if !damaged.wrong.isEmpty { exit(1) }
  case "hold":
    let store = try SQLiteJournal(file: file)
    print("open")
    fflush(nil)
    _ = readLine()
    try store.close()
  case "fill":
    let store = try SQLiteJournal(file: file, durability: durability, pace: pace)
    let descriptor = open(acks, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    var workload = Workload()
    workload.size = size
    workload.entries = options["--entries"]
    let first = try workload.write(to: store, acknowledgements: descriptor)
    print("failed: \(first.map { "\($0.kind): \($0)" } ?? "nothing")")
    fflush(nil)
    _ = readLine()
    workload.entries = 10
    var second = try workload.write(to: store, acknowledgements: descriptor)
    // The failure came only now.
    if first == nil && second != nil {
      second = try workload.write(to: store, acknowledgements: descriptor)
    }
    if let second { fail("does not go on: \(second)") }
    try store.close()
    print("goes on")
  default: fail("there is no command \"\(command)\".")
  }
} catch {
  fail("\(error.kind): \(error)")
}
