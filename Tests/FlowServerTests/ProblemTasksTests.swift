#if Server
  import FlowHosting
  import FlowKernel
  import LuaRuntime
  import Testing

  @testable import FlowServer

  /// The sentences of problems about tasks.
  @Suite struct ProblemTasksTests {
    private func row(
      _ state: StoredTask.State, kind: TaskKind = .worker, attempt: Int = 1, token: String? = "t",
      worker: String? = "mail-2", outcome: TaskOutcome? = nil
    ) -> StoredTask {
      let task = OpenTask(
        call: "j/c/e1/1", tryNumber: 1, effect: 1, position: "1", scope: "root", name: "mail",
        arguments: [:], kind: kind, queue: "mail", isOnce: false, opened: 1, deadline: nil)
      return StoredTask(
        id: 7, caseID: "c", task: task, state: state, free: nil, answered: nil, attempt: attempt,
        lost: 0, token: token, worker: worker, error: nil, outcome: outcome)
    }

    private func status(_ problem: Problem) -> Int? {
      (try? JSONText.value(of: problem.text))?["status"]?.integerValue
    }

    @Test(
      "the number of claims that wait is a sentence with the option",
      arguments: [(0, "0 claims wait"), (1, "1 claim waits"), (2, "2 claims wait")])
    func polls(most: Int, words: String) {
      let problem = Problem.tooManyPolls(most)
      #expect(problem.why == "\(words) at this node (--max-polls)")
      #expect(status(problem) == 429 && problem.slug == "too-many-polls")
    }

    @Test("each state in which a task is not dead has its own words and status")
    func notDead() {
      let problems: [(StoredTask, Int, String)] = [
        (row(.ready, attempt: 0), 409, "task 7 is ready, not dead"),
        (row(.ready), 409, "task 7 is ready again, not dead"),
        (row(.leased), 409, "task 7 is leased to mail-2, not dead"),
        (row(.called), 409, "task 7 waits for a callback, and is not dead"),
        (row(.answered), 409, "task 7 is answered, not dead"),
        (row(.dead, kind: .missing), 409, "nobody provides root.mail: name it in the host file"),
        (row(.cancelled), 410, "nothing waits for task 7 any more, and no answer has come"),
        (
          row(.cancelled, outcome: .answer(1)), 410,
          "nothing waits for task 7 any more: drop its answer once it was seen to"
        ), (row(.closed), 410, "task 7 is answered, and its call has the answer"),
      ]
      for (row, status, words) in problems {
        let problem = Problem.notDead(row)
        #expect(problem.why == words && self.status(problem) == status)
        #expect(problem.slug == (status == 409 ? "not-dead" : "task-closed"))
      }
    }

    @Test("each state in which an answer cannot be dropped has its own words and status")
    func notUnheard() {
      let wait = "and a call waits for it"
      let problems: [(StoredTask, Int, String)] = [
        (row(.ready), 409, "task 7 is ready, \(wait): answer it, or end the case"),
        (row(.leased), 409, "task 7 is leased, \(wait): answer it, or end the case"),
        (row(.called), 409, "task 7 is called, \(wait): answer it, or end the case"),
        (row(.dead), 409, "task 7 is dead, \(wait): answer it, or end the case"),
        (row(.answered), 409, "task 7 is answered, \(wait): it gets the answer soon"),
        (row(.cancelled), 410, "nothing waits for task 7 any more, and no answer has come"),
        (row(.closed), 410, "task 7 is answered, and its call has the answer"),
      ]
      for (row, status, words) in problems {
        let problem = Problem.notUnheard(row)
        #expect(problem.why == words && self.status(problem) == status)
        #expect(problem.slug == (status == 409 ? "open-call" : "task-closed"))
      }
    }

    @Test("a token that gives no right any more is told who has the task")
    func lost() {
      let problems: [(StoredTask, String)] = [
        (
          row(.leased, attempt: 2),
          "was given to mail-2 (attempt 2) after the lease of this token had ended"
        ),
        (row(.ready, token: nil), "was given back, and waits for a worker"),
        (row(.dead), "is dead, and waits for an operator"),
        (row(.answered, token: nil), "was ended by somebody else"),
        (row(.cancelled, token: nil), "was ended by somebody else"),
      ]
      for (row, words) in problems {
        let problem = Problem.leaseLost(row)
        #expect(problem.why == "task 7 \(words)")
        #expect(status(problem) == 409 && problem.slug == "lease-lost")
      }
    }
  }
#endif
