#if Server
  import Platform
  import Testing

  @testable import FlowServer

  @Suite struct UnsentEventsTests {
    @Test("the streams with the oldest unsent events are dropped if a new event exceeds the limit")
    func dropped() {
      let unsent = UnsentEvents(most: 100)
      let dropped = Mutex<[String]>([])
      func add(_ name: String, _ bytes: Int) -> Int {
        unsent.add(bytes) { dropped.withLock { $0.append(name) } }
      }
      let first = add("a", 40)
      _ = add("b", 30)
      _ = add("c", 30)
      #expect(dropped.withLock { $0 } == [] && unsent.bytes == 100)
      unsent.remove(first)
      _ = add("d", 40)
      #expect(dropped.withLock { $0 } == [] && unsent.bytes == 100)
      _ = add("e", 50)
      #expect(dropped.withLock { $0 } == ["b", "c"] && unsent.bytes == 90)
      unsent.remove(first)
      #expect(unsent.bytes == 90)
    }

    @Test("an event that is larger than the limit is kept alone")
    func large() {
      let unsent = UnsentEvents(most: 100)
      let dropped = Mutex(0)
      let small = unsent.add(10) { dropped.withLock { $0 += 1 } }
      let large = unsent.add(1_000) { dropped.withLock { $0 += 10 } }
      #expect(dropped.withLock { $0 } == 1)
      unsent.remove(small)
      unsent.remove(large)
      #expect(unsent.bytes == 0)
    }
  }
#endif
