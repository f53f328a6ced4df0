#if Server
  import Platform
  import Synchronization
  import Testing

  @testable import ServeCLI

  @Suite(.timeLimit(.minutes(5))) struct ShutdownDeadlineTests {
    @Test("scripts are interrupted repeatedly once their part of the time has passed")
    func scripts() async {
      let (endings, ended) = AsyncStream.makeStream(of: Void.self)
      let deadline = ShutdownDeadline(
        scripts: .zero, process: .seconds(1), endScripts: { ended.yield() },
        giveUp: { _ in ended.finish() })
      deadline.start(SIGTERM)
      var count = 0
      for await _ in endings { count += 1 }
      #expect(count > 0)
    }

    @Test("the process ends once with the first signal after the whole time")
    func process() async {
      let (signals, ended) = AsyncStream.makeStream(of: Int32.self)
      let deadline = ShutdownDeadline(
        scripts: .seconds(3_600), process: .milliseconds(1), endScripts: { ended.yield(0) },
        giveUp: {
          ended.yield($0)
          ended.finish()
        })
      deadline.start(SIGTERM)
      deadline.start(SIGINT)
      #expect(await signals.reduce(into: []) { $0.append($1) } == [SIGTERM])
    }
  }
#endif
