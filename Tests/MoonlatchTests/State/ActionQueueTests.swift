import LuaRuntime
import Testing

@testable import FlowKernel

@Suite("The action queue") struct ActionQueueTests {
  private static let states = (0..<4).map { ActiveState(machine: "m", state: "s\($0)") }
  private static let owners: [PendingTimer.Owner] =
    [.nobody, .instance(1), .instance(2), .effect(1)]
    + states.map { .state($0) } + states.map { .stateEffect($0) }

  /// An item, but for its payload.
  private struct Waiting: Equatable {
    let number: Int
    let owner: PendingTimer.Owner
    let source: ActiveState?
    let stale: ActiveState?
    let event: String

    init(_ item: ActionQueue.Item) {
      (number, owner, source) = (item.number, item.owner, item.source)
      stale = item.stale?.state
      event = "\(item.event)"
    }
  }

  private func action(_ name: String) -> PendingTimer.Event {
    .action(QueuedAction(name: name, payload: [:], cause: Cause(revision: 0)))
  }

  private func waiting(in queue: ActionQueue) -> [Waiting] { queue.waiting.map(Waiting.init) }

  @Test(
    "a long and a short queue drop, rename and keep the same actions, in order",
    arguments: 1...20 as ClosedRange<UInt64>)
  func sameOfMany(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    // A few are looked through; many have an index, which has to find the same.
    var (few, many) = (ActionQueue(), ActionQueue())
    let fillers = 100
    for _ in 0..<fillers { many.add(action("filler"), owner: .instance(99)) }
    for _ in 0..<60 {
      let owner = Self.owners[draw(Self.owners.count)]
      let state = Self.states[draw(Self.states.count)]
      let event: PendingTimer.Event =
        switch draw(3) {
        case 0: .wake(draw(3) + 1)
        case 1: .begin(state)
        default: action("go")
        }
      let source = draw(2) == 0 ? state : nil
      few.add(event, owner: owner, from: source)
      many.add(event, owner: owner, from: source)
    }
    for _ in 0..<40 {
      let state = Self.states[draw(Self.states.count)]
      let owner = Self.owners[1 + draw(Self.owners.count - 1)]
      let (effect, number) = (draw(3) + 1, -1 - draw(60))
      let byItself = draw(2) == 0
      let other = Self.states[draw(Self.states.count)]
      switch draw(6) {
      case 0:
        few.remove(ownedBy: owner)
        many.remove(ownedBy: owner)
      case 1:
        few.left(state, at: 7, byItself: byItself)
        many.left(state, at: 7, byItself: byItself)
      case 2:
        few.remove(waking: effect)
        many.remove(waking: effect)
      case 3: #expect(few.cancel(number) == many.cancel(number - fillers))
      case 4:
        let names = Dictionary([(state, other), (other, state)]) { first, _ in first }
        few.rename(names)
        many.rename(names)
      default: #expect(few.wakes(effect) == many.wakes(effect))
      }
      let rest = waiting(in: many).dropFirst(fillers)
      #expect(few.count == rest.count && many.count == fillers + few.count)
      #expect(many.size == few.size + many.waiting.prefix(fillers).reduce(0) { $0 + $1.size })
      #expect(
        zip(waiting(in: few), rest).allSatisfy { $0.event == $1.event && $0.owner == $1.owner })
      #expect(
        zip(waiting(in: few), rest).allSatisfy { $0.source == $1.source && $0.stale == $1.stale })
      #expect(zip(waiting(in: few), rest).allSatisfy { $0.number - fillers == $1.number })
    }
    for _ in 0..<fillers { #expect(many.takeFirst() != nil) }
    while let first = few.takeFirst() {
      #expect(many.takeFirst().map { $0.number + fillers } == first.number)
    }
    #expect(many.isEmpty && many.takeFirst() == nil && many.size == 0)
  }

  @Test("a long and a short queue cancel the same scheduled actions, by name and payload")
  func cancelled() {
    func action(_ number: Int) -> PendingTimer.Event {
      let payload: Value = [
        "id": .integer(number), "half": .number(Double(number) / 2),
        "odd": .boolean(number % 2 == 1),
        "tags": [.integer(number)],
      ]
      let cause = Cause(revision: 0)
      return .action(QueuedAction(name: "a\(number % 3)", payload: payload, cause: cause))
    }
    let parts: [Value] = [
      ["id": 4], ["id": 4.0], ["half": 3], ["half": 2.5], ["odd": true, "id": 9],
      ["odd": true, "id": 4],
      ["tags": [12]], ["tags": [12], "odd": false], ["none": .nil, "id": 15], [:],
    ]
    for name in ["a0", "a1", "a2", "a3"] {
      var (few, many) = (ActionQueue(), ActionQueue())
      for number in 0..<100 { many.add(action(number), owner: .nobody) }
      for number in 0..<24 {
        few.add(action(number), owner: number < 20 ? .instance(1) : .nobody)
        many.add(action(number), owner: number < 20 ? .instance(1) : .nobody)
      }
      #expect(many.takeFirst() != nil)
      for part in parts {
        #expect(
          few.cancel(name, containing: part).dropped == many.cancel(name, containing: part).dropped)
        #expect(few.actions.map(\.payload) == many.actions.dropFirst(99).map(\.payload))
      }
    }
  }

  @Test("cancelling each of 10,000 scheduled actions compares each of them once")
  func cancelledOneByOne() {
    var queue = ActionQueue()
    let count = 10_000
    for number in 0..<count {
      let payload: Value = ["kind": "x", "id": .integer(number)]
      queue.add(
        .action(QueuedAction(name: "go", payload: payload, cause: Cause(revision: 0))),
        owner: .instance(1))
    }
    for number in 100..<count {
      let (dropped, visits) = queue.cancel(
        "go", containing: ["kind": "x", "id": .integer(number)])
      #expect(dropped == 1 && visits == 1)
    }
    #expect(queue.count == 100)
  }

  @Test("removing each of 30,000 owners removes exactly its own actions")
  func owners() {
    var queue = ActionQueue()
    let count = 30_000
    for owner in 1...count {
      queue.add(action("go"), owner: .instance(owner))
      queue.add(action("stay"), owner: .nobody)
      queue.add(.wake(owner), owner: .effect(owner))
    }
    for owner in 1...count {
      queue.remove(ownedBy: .instance(owner))
      queue.remove(waking: owner)
    }
    #expect(queue.count == count && queue.actions.allSatisfy { $0.name == "stay" })
  }
}
