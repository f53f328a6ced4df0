import FlowKernel
import Platform
import Scenarios

/// The last line of a terminal during a long run, with its progress: how many are done, how many failed, how fast.
final class StatusLine {
  private let isOn: Bool
  private let start = ContinuousClock.now
  private var last: ContinuousClock.Instant?
  private var isShown = false

  /// Creates a status line, which is only shown on an interactive terminal.
  init() {
    isOn =
      isatty(STDERR_FILENO) == 1 && Environment["CI"] == nil
      && Environment.value("TERM", or: "dumb") != "dumb"
  }

  /// Shows the progress of a run, at most ten times a second.
  func show(_ progress: Batch.Progress) {
    show { seconds in
      let summary = progress.summary
      let rate = Int(Double(summary.count) / seconds)
      var text = "[\(progress.jobsDone)/\(progress.jobs)] \(summary.passed) passed, "
      text += "\(summary.notWell) failed, \(rate)/s"
      if let current = progress.current { text += "  \(current.visibleLine)" }
      return text
    }
  }

  /// Shows a text at most ten times a second; `text` is called with the elapsed seconds.
  func show(_ text: (Double) -> String) {
    guard isOn else { return }
    let now = ContinuousClock.now
    if let last, now - last < .milliseconds(100) { return }
    // A short run needs no status line.
    guard now - start > .milliseconds(200) else { return }
    last = now
    let text = text((now - start) / .seconds(1))
    Terminal.replaceLine(by: String(text.prefix(max(20, width - 1))))
    isShown = true
  }

  /// Removes the line, so that other lines can be written.
  func clear() {
    guard isShown else { return }
    Terminal.replaceLine(by: "")
    isShown = false
    last = nil
  }

  private var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
