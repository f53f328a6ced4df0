#if Server
  import HostFiles
  import StateBlocks
  import Subprocess

  /// A program that runs for a call, from its start to its end.
  ///
  /// The library reaps the first process of the group once the closure that follows it has returned. Until then no other
  /// group has its number, so that all signals to the group are sent before.
  final class RunningCommand: Sendable {
    /// The first reason for which the program ends.
    enum Reason: Sendable {
      /// It has ended by itself.
      case exit
      case timeout, cancellation, output
    }

    private typealias Process = Execution<CustomWriteInput, SequenceOutput, SequenceOutput>

    /// The bytes of an output, of which only the first are kept.
    private struct Output: Sendable {
      var bytes: [UInt8] = []
      var isWhole = true
      var isRead = true
    }

    /// The greatest size of standard error, in bytes: what follows is read, and not kept.
    private static let mostErrorBytes = 64 << 10
    /// The time between SIGTERM and SIGKILL.
    private static let grace = Duration.seconds(5)
    /// A time beyond that of every command.
    private static let longest = Duration.seconds(86_400)

    private let request: CommandTaskRequest
    private let reason = Promise<Reason>()
    /// Fulfilled once the processes of the group get no more time after SIGTERM.
    private let graceHasEnded = Promise<Void>()
    private let hasEnded = Promise<Void>()

    init(_ request: CommandTaskRequest) { self.request = request }

    /// The longest time from the start to the end.
    var timeout: Duration { .seconds(seconds) }

    /// The longest time from the start to the end, in seconds.
    private var seconds: Double {
      request.timeout.isFinite ? min(max(request.timeout, 0), 86_400) : 86_400
    }

    /// Sends SIGTERM to all processes of the group, and later SIGKILL.
    func end(because reason: Reason) { self.reason.fulfill(reason) }

    /// Sends SIGKILL to all processes of the group, right after SIGTERM.
    func kill() {
      end(because: .cancellation)
      graceHasEnded.fulfill(())
    }

    /// Suspends until the program has ended.
    func waitForEnd() async { await hasEnded.value }

    /// Starts the program, and waits for its end.
    func run() async -> CommandTaskResponse {
      defer { hasEnded.fulfill(()) }
      if reason.current != nil { return .interrupted }
      var options = PlatformOptions()
      options.createSession = true
      let variables = request.environment.reduce(into: [Environment.Key: String]()) {
        $0[Environment.Key(stringLiteral: $1.key)] = $1.value
      }
      do {
        let result = try await Subprocess.run(
          .path(.init(request.program)), arguments: Arguments(request.arguments),
          environment: .custom(variables), platformOptions: options, input: .inputWriter,
          output: .sequence, error: .sequence
        ) { process in
          await follow(process)
        }
        let (output, error) = result.closureResult
        return await response(result.terminationStatus, output, error)
      } catch let error as SubprocessError {
        return CommandTaskResponse(of: error, program: request.program)
      } catch {
        return .failed("the program could not be run: \(error)")
      }
    }

    private func response(
      _ status: TerminationStatus, _ output: Output, _ error: Output
    ) async -> CommandTaskResponse {
      // Not `current`, which has no value yet while another thread still calls those that wait for it.
      switch await reason.value {
      case .cancellation: return .interrupted
      case .timeout:
        return .failed("no result within \(RunningCommand.text(of: seconds)) s")
      case .exit, .output: break
      }
      guard output.isWhole else {
        return .refused("the output is larger than \(RunningCommand.size(request.mostBytes))")
      }
      guard output.isRead else { return .failed("the output could not be read") }
      switch status {
      case .exited(let code):
        return .exited(code: Int(code), output: output.bytes, error: error.bytes)
      case .signaled(let signal): return .signaled(Int(signal), error: error.bytes)
      }
    }

    // MARK: Following the process

    /// Gives the program its input, reads its outputs, and ends it if it has to be.
    ///
    /// - Returns: standard output and standard error.
    private func follow(_ process: Process) async -> (Output, Output) {
      async let input: Void = RunningCommand.write(request.input, to: process.standardInputWriter)
      async let output = read(process.standardOutput, upTo: request.mostBytes, isLimit: true)
      async let error = read(
        process.standardError, upTo: RunningCommand.mostErrorBytes, isLimit: false)
      async let end: Void = endIfAsked(process)
      // The null signal does nothing, and this returns once the first process has ended, also if it has closed its
      // outputs long before.
      await process.teardown(using: [
        .send(
          signal: Signal(rawValue: 0), toProcessGroup: false,
          allowedDurationToNextStep: RunningCommand.longest)
      ])
      reason.fulfill(.exit)
      graceHasEnded.fulfill(())
      await end
      await input
      return await (output, error)
    }

    /// Waits until the program has ended or is to be ended, and then ends it and all that it has started.
    private func endIfAsked(_ process: Process) async {
      if await reason.value == .exit { return }
      try? process.send(signal: .terminate, toProcessGroup: true)
      let timer = Task { [graceHasEnded] in
        try? await Task.sleep(for: RunningCommand.grace)
        graceHasEnded.fulfill(())
      }
      await graceHasEnded.value
      timer.cancel()
      // The first process may have ended and left others behind, which do not heed SIGTERM.
      try? process.send(signal: .kill, toProcessGroup: true)
    }

    /// Writes the input; a program that does not read it is no error.
    private static func write(_ bytes: [UInt8], to writer: StandardInputWriter) async {
      _ = try? await writer.write(bytes)
      try? await writer.finish()
    }

    /// Reads an output to its end.
    ///
    /// - Parameters:
    ///   - most: the number of bytes that are kept.
    ///   - isLimit: true if the program is ended once it has written more.
    private func read(
      _ buffers: SubprocessOutputSequence, upTo most: Int, isLimit: Bool
    ) async -> Output {
      var output = Output()
      do {
        for try await buffer in buffers {
          let room = most - output.bytes.count
          buffer.withUnsafeBytes { output.bytes.append(contentsOf: $0.prefix(room)) }
          guard buffer.count > room else { continue }
          output.isWhole = false
          // A process that the program has left behind may write for ever.
          if graceHasEnded.current != nil { break }
          if isLimit { end(because: .output) }
        }
      } catch {
        output.isRead = false
      }
      return output
    }

    // MARK: Texts

    private static func text(of seconds: Double) -> String {
      seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    }

    /// The text of a number of bytes, such as `1 MiB`.
    private static func size(_ bytes: Int) -> String {
      if bytes > 0, bytes.isMultiple(of: 1 << 20) { return "\(bytes >> 20) MiB" }
      if bytes > 0, bytes.isMultiple(of: 1 << 10) { return "\(bytes >> 10) KiB" }
      return "\(bytes) bytes"
    }
  }
#endif
