import Foundation

// Misuses a server in every way that is thought of: PROGRAM FLOW FOLDER SEED COUNT SECONDS. PROGRAM is a
// moonlatch-serve, which serves FLOW with its inspector. It ends after so many attacks or, where that is 0, so many
// seconds; exits with 1 where an answer is 500 or more, the server no longer answers those who mean well, has ended,
// holds more and more memory, or does not end well when it is asked to.

/// How much more memory it may hold at the end than after its first quarter, in MiB.
let growth = 64.0
/// How many attack at a time, each with chance of its own.
let attackers = 8

let words = CommandLine.arguments
let numbers = words.dropFirst(4).compactMap { UInt64($0) }
guard words.count == 7, numbers.count == 3 else {
  print("usage: http-fuzz PROGRAM FLOW FOLDER SEED COUNT SECONDS")
  exit(64)
}
let (seed, count, seconds) = (numbers[0], Int(numbers[1]), Double(numbers[2]))
signal(SIGPIPE, SIG_IGN)

/// The number of attacks by all attackers, and the first fault that one of them has found.
final class Progress: @unchecked Sendable {
  private let lock = NSLock()
  private var made = 0
  private var finding: String?

  var total: Int { lock.withLock { made } }
  var found: String? { lock.withLock { finding } }

  func add() { lock.withLock { made += 1 } }
  func find(_ text: String) { lock.withLock { finding = finding ?? text } }
}

@Sendable func shown(_ bytes: [UInt8]) -> String {
  bytes.prefix(2_000).map { byte in
    (32...126).contains(byte)
      ? String(UnicodeScalar(byte)) : byte == 10 ? "\\n\n" : "\\x\(String(byte, radix: 16))"
  }.joined()
}

do {
  let folder = URL(filePath: words[3])
  nonisolated(unsafe) let server = try Server(words[1], flow: words[2], folder: folder)
  let progress = Progress()
  let start = Date()
  let share: @Sendable () -> Double = {
    count > 0
      ? Double(progress.total) / Double(count) : Date().timeIntervalSince(start) / seconds
  }
  let done = DispatchGroup()
  for index in 0..<attackers {
    done.enter()
    Thread.detachNewThread {
      let attacks = Attacks(server, seed: seed &* 1_000 &+ UInt64(index))
      while share() < 1, progress.found == nil {
        if let fault = attacks.attack() {
          progress.find("\(fault)\n\nwhat was sent:\n\(shown(attacks.last))")
        }
        progress.add()
      }
      done.leave()
    }
  }
  var early: Double?
  while done.wait(timeout: .now() + 0.2) == .timedOut {
    if !server.isAlive { progress.find("the server has ended:\n\(server.said.suffix(4_000))") }
    if early == nil, share() > 0.25 { early = server.memory }
    if progress.found == nil, let fault = server.fault, server.isAlive { progress.find(fault) }
  }
  let memory = server.memory
  if server.isAlive, let fault = server.fault { progress.find(fault) }
  if let early, memory > early + growth {
    progress.find("the server holds \(Int(memory)) MiB, and \(Int(early)) after the first quarter")
  }
  let code = server.stop()
  if code != 0 {
    progress.find("asked to end, the server exits with \(code):\n\(server.said.suffix(4_000))")
  }
  if let found = progress.found {
    print("\(found)\nafter \(progress.total) attacks")
    exit(1)
  }
  print(
    "\(progress.total) attacks; memory \(Int(early ?? 0)) MiB after the first quarter, \(Int(memory)) MiB at the end"
  )
} catch {
  print("\(error)")
  exit(1)
}
