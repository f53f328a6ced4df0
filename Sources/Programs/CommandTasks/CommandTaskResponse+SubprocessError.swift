#if Server
  import HostFiles
  import Platform
  import Subprocess

  extension CommandTaskResponse {
    /// The errors that may be gone at another try: the system has too little of something for now.
    private static let passing = [EAGAIN, EINTR, EMFILE, ENFILE, ENOMEM, ETXTBSY]

    /// Describes the error of a program that could not be started or followed.
    init(of error: SubprocessError, program: String) {
      let code = error.underlyingError?.rawValue
      switch error.code {
      case .executableNotFound:
        self = .refused("the program \(program) is not there any more, or may not be run")
      case .spawnFailed:
        let reason = code.map { CommandTaskResponse.text(of: $0) } ?? "\(error)"
        let isPassing = code.map { CommandTaskResponse.passing.contains($0) } ?? false
        let text = "the program \(program) cannot be started: \(reason)"
        self = isPassing ? .failed(text) : .refused(text)
      default:
        let reason = code.map { CommandTaskResponse.text(of: $0) } ?? "\(error)"
        self = .failed("the program could not be run: \(reason)")
      }
    }

    private static func text(of code: Int32) -> String {
      guard let text = strerror(code) else { return "error \(code)" }
      return String(cString: text).lowercased()
    }
  }
#endif
