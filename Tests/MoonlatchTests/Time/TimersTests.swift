import LuaRuntime
import Testing

@testable import FlowKernel

@Suite struct TimersTests {
  private func action(_ number: Int) -> PendingTimer.Event {
    .action(QueuedAction(name: "t\(number)", payload: [:], cause: Cause(revision: 0)))
  }

  @Test("timers fire in the order of their times, and equal ones in the order of setting")
  func order() {
    var timers = Timers()
    for (number, due) in [5, 3, 5, 1, 3].enumerated() {
      _ = timers.add(action(number), due: due, owner: .nobody)
    }
    #expect(timers.nextDue == 1)
    var taken: [String] = []
    while let timer = timers.takeNext() { taken.append(timer.action?.name ?? "") }
    #expect(taken == ["t3", "t1", "t4", "t0", "t2"])
    #expect(timers.nextDue == nil)
    #expect(timers.isEmpty)
  }

  @Test("the timers of one owner are stopped together, and restored in their old order")
  func owners() {
    var timers = Timers()
    for number in 0..<6 {
      let owner = PendingTimer.Owner.instance(number % 2)
      _ = timers.add(action(number), due: 10 - number, owner: owner)
    }
    let stopped = timers.remove(ownedBy: .instance(1))
    #expect(stopped.compactMap { $0.action?.name } == ["t1", "t3", "t5"])
    #expect(timers.nextDue == 6)
    #expect(timers.remove(ownedBy: .instance(1)).isEmpty)
    for timer in stopped { timers.put(timer) }
    #expect(
      timers.pending.compactMap { $0.action?.name } == ["t5", "t4", "t3", "t2", "t1", "t0"])
    #expect(timers.nextDue == 5)
  }

  @Test("the timers of an action are found by a part of their payloads, among few and among many")
  func parts() {
    func event(_ number: Int) -> PendingTimer.Event {
      let payload: Value = [
        "id": .integer(number % 10), "half": .number(Double(number) / 2),
        "at": ["x": .integer(number)],
      ]
      return .action(
        QueuedAction(name: "a\(number % 2)", payload: payload, cause: Cause(revision: 0)))
    }
    let parts: [Value] = [
      ["id": 4], ["id": 4.0], ["half": 3], ["half": 2.5, "id": 5], ["at": ["x": 6]], [:],
      ["id": 4, "at": ["x": 14]], ["id": 77],
    ]
    for count in [20, 200] {
      var timers = Timers()
      for number in 0..<count {
        _ = timers.add(event(number), due: 1_000 - number, owner: .nobody)
      }
      _ = timers.add(.wake(7), due: 1, owner: .effect(7))
      for round in 0..<3 {
        for part in parts {
          let found = timers.timers(of: "a0", containing: part).found
          let expected = timers.pending.filter {
            $0.action?.name == "a0" && $0.action?.payload.contains(part) == true
          }
          #expect(found == expected)
        }
        #expect(timers.takeNext() != nil)
        if let timer = timers.pending.last(where: { $0.action != nil }) {
          timers.remove(timer.number)
        }
        _ = timers.add(event(2 * round), due: 3, owner: .instance(round))
      }
    }
  }

  @Test("finding each of 10,000 timers by its payload compares each of them once")
  func oneByOne() {
    var timers = Timers()
    let count = 10_000
    for number in 0..<count {
      let payload: Value = ["kind": "x", "id": .integer(number)]
      _ = timers.add(
        .action(QueuedAction(name: "go", payload: payload, cause: Cause(revision: 0))),
        due: number + 1, owner: .nobody)
    }
    for number in 100..<count {
      let (found, visits) = timers.timers(
        of: "go", containing: ["kind": "x", "id": .integer(number)])
      #expect(found.count == 1 && visits == 1)
      for timer in found { timers.remove(timer.number) }
    }
    #expect(timers.count == 100)
  }

  @Test("random setting, stopping and firing agree with a sorted list")
  func model() {
    var timers = Timers()
    var model: [(due: Int, number: Int, owner: Int)] = []
    var random = SeededRandom(seed: 7)
    var gone: [PendingTimer] = []
    for _ in 0..<20_000 {
      switch random.next() % 8 {
      case 0, 1, 2, 3:
        let (due, owner) = (Int(random.next() % 50), Int(random.next() % 5))
        let timer = timers.add(action(0), due: due, owner: .instance(owner))
        model.append((due, timer.number, owner))
      case 4, 5:
        let next = model.min { ($0.due, $0.number) < ($1.due, $1.number) }
        let taken = timers.takeNext()
        #expect(taken?.number == next?.number)
        if let taken { gone.append(taken) }
        model.removeAll { $0.number == next?.number }
      case 6:
        let owner = Int(random.next() % 5)
        let stopped = timers.remove(ownedBy: .instance(owner))
        #expect(
          stopped.map(\.number) == model.filter { $0.owner == owner }.map(\.number).sorted())
        model.removeAll { $0.owner == owner }
        gone += stopped
      default:
        guard let back = gone.popLast(), case .instance(let owner) = back.owner else { continue }
        timers.put(back)
        model.append((back.due, back.number, owner))
      }
      #expect(timers.count == model.count)
      #expect(timers.nextDue == model.map(\.due).min())
    }
  }
}
