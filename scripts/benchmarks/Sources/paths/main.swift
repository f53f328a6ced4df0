import Bench
import Foundation

// Runs one path a number of times and does nothing else, so that a tool that counts instructions
// can count those of the path: the difference between two numbers of times is the path alone.
//
//   paths                 lists the names, each with how many times tell what one takes
//   paths NAME COUNT      runs the path COUNT times

let arguments = CommandLine.arguments.dropFirst()
do {
  guard let name = arguments.first else {
    for path in Path.all { print(path.name, path.times) }
    exit(0)
  }
  guard let path = Path.all.first(where: { $0.name == name }),
    let count = arguments.last.flatMap(Int.init)
  else { throw WrongResult("no path \(name), or no number of times") }
  try path.prepare()(count)
} catch {
  FileHandle.standardError.write(Data("paths: \(error)\n".utf8))
  exit(70)
}
