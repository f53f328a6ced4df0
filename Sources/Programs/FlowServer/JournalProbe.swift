#if Server
  import FlowCases
  import StateBlocks
  import Platform

  /// A probe that checks if a journal can be read, with a time limit.
  ///
  /// At most one question is in flight, and all callers in the meantime share its answer. So a journal that hangs
  /// blocks only one thread, however often it is probed.
  final class JournalProbe: Sendable {
    private final class Question: Sendable {
      let begin = ContinuousClock.now
      /// The reason why the journal cannot be read; nil if it can.
      let answer = Promise<String?>()
    }

    private let question = Mutex<Question?>(nil)
    private let cases: Cases
    private let timeLimit: Duration

    init(of cases: Cases, timeLimit: Duration) {
      (self.cases, self.timeLimit) = (cases, timeLimit)
    }

    /// Returns why the journal cannot be read, or nil if it can.
    func problem() async -> String? {
      let question = current()
      let found = Promise<String?>()
      question.answer.then { found.fulfill($0) }
      let timer = Task { [timeLimit] in
        try await Task.sleep(for: timeLimit)
        found.fulfill(JournalProbe.silent(since: question.begin))
      }
      defer { timer.cancel() }
      return await found.value
    }

    /// Returns the question in flight, or starts a new one.
    private func current() -> Question {
      question.withLock { question in
        if let question { return question }
        let new = Question()
        question = new
        Task {
          let problem: String?
          do {
            _ = try await cases.list(limit: 1)
            problem = nil
          } catch {
            problem = "the journal cannot be read: \(error)"
          }
          self.question.withLock { $0 = nil }
          new.answer.fulfill(problem)
        }
        return new
      }
    }

    private static func silent(since begin: ContinuousClock.Instant) -> String {
      let tenths = Int((ContinuousClock.now - begin) / .milliseconds(100))
      return "the journal has not answered for \(tenths / 10).\(tenths % 10) s"
    }
  }
#endif
