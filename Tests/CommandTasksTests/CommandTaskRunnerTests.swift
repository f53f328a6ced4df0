#if Server
  import Foundation
  import HostFiles
  import Testing

  @testable import CommandTasks

  /// Runs of real programs.
  @Suite(.timeLimit(.minutes(5))) struct CommandTaskRunnerTests {
    private let folder: URL
    private let runner = CommandTaskRunner()

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Returns a run of a script for the shell.
    private func script(
      _ text: String, _ arguments: String..., input: String = "", timeout: Double = 60,
      mostBytes: Int = 1 << 20, environment: [String: String] = ["PATH": "/usr/bin:/bin"]
    ) -> CommandTaskRequest {
      CommandTaskRequest(
        program: "/bin/sh", arguments: ["-c", text, "sh"] + arguments, environment: environment,
        input: Array(input.utf8), timeout: timeout, mostBytes: mostBytes)
    }

    /// Runs a script, and returns its code and its outputs.
    private func run(
      _ request: CommandTaskRequest
    ) async throws -> (code: Int, output: String, error: String) {
      let response = await runner.run(request)
      guard case .exited(let code, let output, let error) = response else {
        throw Unexpected(response: response)
      }
      return (
        code, String(decoding: output, as: UTF8.self), String(decoding: error, as: UTF8.self)
      )
    }

    private struct Unexpected: Error { let response: CommandTaskResponse }

    private func file(_ name: String) -> URL { folder.appending(path: name) }

    /// Waits until a script has written its file, and returns the number in it.
    private func number(in name: String) async throws -> pid_t {
      while true {
        let text = (try? String(contentsOf: file(name), encoding: .utf8)) ?? ""
        if text.hasSuffix("\n"), let number = pid_t(text.dropLast()) { return number }
        try await Task.sleep(for: .milliseconds(5))
      }
    }

    /// Waits until a process has ended.
    private func waitForEnd(of process: pid_t) async throws {
      while kill(process, 0) == 0, !isZombie(process) {
        try await Task.sleep(for: .milliseconds(5))
      }
    }

    /// Returns true for a process that has ended and that nobody has reaped, which happens where no init does it.
    private func isZombie(_ process: pid_t) -> Bool {
      let text = try? String(contentsOf: URL(filePath: "/proc/\(process)/stat"), encoding: .utf8)
      return text?.contains(") Z ") ?? false
    }

    @Test("a program gets its input and its arguments, and its outputs and exit code are returned")
    func whole() async throws {
      let (code, output, error) = try await run(
        script(
          "cat; printf '%s|' \"$@\"; echo oops >&2; exit 3", "a b", "", "$(id)", input: "{}\n"))
      #expect(code == 3 && output == "{}\na b||$(id)|" && error == "oops\n")
    }

    @Test("a large input goes through, and one that nobody reads is no error")
    func input() async throws {
      let large = String(repeating: "x", count: 300_000)
      #expect(try await run(script("cat", input: large)).output == large)
      let request = CommandTaskRequest(program: "/bin/true", input: Array(large.utf8))
      #expect(await runner.run(request) == .exited(code: 0, output: [], error: []))
    }

    @Test("a program has the given environment, a session of its own, and no files of ours")
    func surroundings() async throws {
      let request = script(
        "env | sort | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=; [ $$ = $(cut -d ' ' -f 6 /proc/$$/stat) ] && echo own",
        environment: ["PATH": "/usr/bin:/bin", "TOKEN": "t"])
      let found = try await run(request)
      #expect(found.output == "PATH=/usr/bin:/bin\nTOKEN=t\nown\n", "\(found)")
      let open = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
      _ = fcntl(open.fileDescriptor, F_SETFD, 0)
      let files = try await run(script("ls /proc/self/fd"))
      // The shell's three, and the one that reads the folder.
      #expect(files.output.split(separator: "\n").count == 4, "\(files)")
      try open.close()
    }

    @Test("a signal that ends the program is returned")
    func signal() async throws {
      let response = await runner.run(script("echo x >&2; kill -KILL $$"))
      #expect(response == .signaled(9, error: Array("x\n".utf8)))
    }

    @Test("a program that is not there, is no program or cannot be started is refused")
    func missing() async throws {
      let gone = await runner.run(CommandTaskRequest(program: file("gone").path))
      guard case .refused(let reason) = gone else {
        Issue.record("\(gone)")
        return
      }
      #expect(reason.contains("is not there any more"))
      try Data("nonsense".utf8).write(to: file("text"))
      #expect(chmod(file("text").path, 0o755) == 0)
      let text = await runner.run(CommandTaskRequest(program: file("text").path))
      guard case .refused(let other) = text else {
        Issue.record("\(text)")
        return
      }
      #expect(other.contains("cannot be started"), "\(other)")
    }

    @Test("a program that writes too much is ended, and its standard error is read to its end")
    func outputs() async throws {
      let endless = await runner.run(script("exec yes", mostBytes: 2_048))
      #expect(endless == .refused("the output is larger than 2 KiB"))
      let exact = try await run(script("head -c 2048 /dev/zero", mostBytes: 2_048))
      #expect(exact.output.utf8.count == 2_048)
      let noisy = try await run(script("head -c 1000000 /dev/zero >&2; echo ok"))
      #expect(noisy.output == "ok\n" && noisy.error.utf8.count == 64 << 10)
    }

    @Test("after the timeout the program ends with all that it has started")
    func timeout() async throws {
      let path = file("child").path
      let response = await runner.run(
        script("sleep 1000 & echo $! >\"$1\"; wait", path, timeout: 0.5))
      #expect(response == .failed("no result within 0.5 s"))
      try await waitForEnd(of: number(in: "child"))
    }

    @Test("what does not heed SIGTERM is killed, also once its parent has ended")
    func heedless() async throws {
      let path = file("child").path
      let response = await runner.run(
        script(
          """
          sh -c 'trap "" TERM; echo $$ >"$1"; while :; do sleep 1; done' sh "$1" &
          while [ ! -s "$1" ]; do sleep 0.01; done
          wait
          """, path, timeout: 1))
      #expect(response == .failed("no result within 1 s"))
      try await waitForEnd(of: number(in: "child"))
    }

    @Test("a program that closes its outputs and goes on is followed until its end or timeout")
    func closed() async throws {
      let slow = try await run(script("echo a; exec >&- 2>&-; sleep 0.3; exit 7"))
      #expect(slow.code == 7 && slow.output == "a\n")
      let endless = await runner.run(script("exec >&- 2>&-; exec sleep 1000", timeout: 0.5))
      #expect(endless == .failed("no result within 0.5 s"))
    }

    @Test("a process that a program leaves behind does not hold its result up")
    func leftBehind() async throws {
      let found = try await run(script("sleep 1000 & echo $! >\"$1\"; echo a", file("child").path))
      #expect(found.code == 0 && found.output == "a\n")
      kill(try await number(in: "child"), SIGKILL)
    }

    @Test("a cancelled run ends its program, and waits for that")
    func cancelled() async throws {
      let request = script(
        "trap 'echo 1 >\"$2\"; exit 0' TERM; echo $$ >\"$1\"; while :; do sleep 0.05; done",
        file("process").path, file("cleaned").path)
      let run = Task { await runner.run(request) }
      let process = try await number(in: "process")
      run.cancel()
      #expect(await run.value == .interrupted)
      #expect(kill(process, 0) == -1)
      #expect(try await number(in: "cleaned") == 1)
    }

    @Test("closing kills the programs that run, and interrupts later runs")
    func closing() async throws {
      let runner = CommandTaskRunner()
      let request = script(
        "trap '' TERM; echo $$ >\"$1\"; while :; do sleep 0.05; done", file("process").path)
      let run = Task { await runner.run(request) }
      let process = try await number(in: "process")
      await runner.close()
      #expect(kill(process, 0) == -1)
      #expect(await run.value == .interrupted)
      #expect(await runner.run(script("exit 0")) == .interrupted)
    }

    @Test("many programs run at once, and leave no files open behind them")
    func many() async throws {
      func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      }
      _ = try await run(script("exit 0"))
      let before = try openFiles()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            let found = try? await run(script("cat; exit \(number)", input: "\(number)"))
            #expect(found?.code == number && found?.output == "\(number)")
          }
        }
      }
      // Other tests open files meanwhile; each leaked run would leave three.
      #expect(try openFiles() < before + 60)
    }
  }
#endif
