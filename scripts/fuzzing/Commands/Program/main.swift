import Foundation

// Misuses the commands: KIND MOONLATCH SERVE ROOT FOLDER SEED COUNT SECONDS.
//
//   commands-fuzz journal ...   journals that were damaged are given to all that reads and writes journals
//   commands-fuzz signals ...   signals, closed streams and limits while commands run
//
// It ends after so many trials or, where that is 0, so many seconds, and exits with 1 at the first finding; with
// COMMANDS_FUZZ_ALL=1 it goes on. Trials have the seeds SEED, SEED + 1, ... What was found is kept in FOLDER/found.

let words = CommandLine.arguments
let numbers = words.dropFirst(6).compactMap { UInt64($0) }
guard words.count == 9, numbers.count == 3, ["journal", "signals"].contains(words[1]) else {
  print("usage: commands-fuzz journal|signals MOONLATCH SERVE ROOT FOLDER SEED COUNT SECONDS")
  exit(64)
}
let (root, folder) = (words[4], words[5])
let programs = Programs(moonlatch: words[2], serve: words[3])
let repetition = Repetition(
  seed: numbers[0], count: numbers[1], seconds: Double(numbers[2]), folder: folder,
  goesOn: ProcessInfo.processInfo.environment["COMMANDS_FUZZ_ALL"] != nil)
let flows = [root + "/scripts/fuzzing/Commands/flow.lua", root + "/scripts/fuzzing/HTTP/types.lua"]
// In memory where that can be: thousands of files are written.
let scratch =
  (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : folder) + "/commands-fuzz-\(getpid())"
signal(SIGPIPE, SIG_IGN)
if words[1] == "journal" {
  // No file grows beyond that, of this program or of a command: writing fails then.
  signal(SIGXFSZ, SIG_IGN)
  var most = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
  setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &most)
}

var found = 0
do {
  let journals = try Journals(programs, flows: flows, in: folder + "/journals")
  if words[1] == "journal" {
    var trial = try JournalTrial(programs, journals, scratch: scratch)
    found = repetition.play(&trial, named: words[1])
  } else {
    var trial = SignalTrial(programs, journals, root: root, scratch: scratch)
    found = repetition.play(&trial, named: words[1])
  }
} catch {
  print("\(error)")
  found = 1
}
try? FileManager.default.removeItem(atPath: scratch)
exit(found == 0 ? 0 : 1)
