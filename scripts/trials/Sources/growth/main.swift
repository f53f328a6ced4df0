import Platform

// The work that each list that a script or a user can make long takes, at 1, 10 and 100 times a size: for
// scripts/benchmarks/count-growth, which counts the instructions of the processes that this one starts under valgrind.
//
//   growth                     lists the shapes: NAME SIZE EXCEPTION
//   growth full [NAME]...      runs each shape at three sizes, in a process each, and prints NAME SIZE PROCESS
//   growth small [NAME]...     the shapes of the small form, at a fifth of the sizes
//
// Each process is a copy of this one, in which each shape has run once, so that valgrind has translated what it needs.
// A copy begins with this one's count, which is no part of a difference. Exit codes: 0 all ran; 64 wrong usage; 70 one
// did not do its work.

let arguments = CommandLine.arguments.dropFirst()
if arguments.isEmpty {
  for shape in Shape.all { print(shape.name, shape.base, shape.exception ?? "") }
  exit(0)
}
let form = arguments.first
let names = Set(arguments.dropFirst())
guard form == "full" || form == "small", names.isSubset(of: Shape.all.map(\.name)) else {
  print("usage: growth [full|small [NAME]...]")
  exit(64)
}
let isSmall = form == "small"
let shapes = Shape.all.filter {
  names.isEmpty ? !isSmall || $0.isInSmallForm : names.contains($0.name)
}
func size(of shape: Shape, isSmall: Bool) -> Int { isSmall ? max(1, shape.base / 5) : shape.base }

for shape in shapes { shape.runOrExit(size(of: shape, isSmall: isSmall)) }
var processes = ShapeProcesses()
for shape in shapes {
  for times in [1, 10, 100] {
    let size = times * size(of: shape, isSmall: isSmall)
    guard let process = processes.start(shape, size) else {
      print("growth: no process can be started")
      exit(70)
    }
    print(shape.name, size, process)
  }
}
processes.waitForAll()
exit(processes.failures == 0 ? 0 : 70)
