/// The commands that move along the history and in time.
extension PromptCommand {
  static let time: [PromptCommand] = [
    PromptCommand(
      name: "history", summary: "the commits so far, and those that can be redone",
      run: { session, _ in session.history() }),
    PromptCommand(
      name: "undo", usage: "[N]", summary: "goes back by one commit, or by N",
      argument: .oneOf([]),
      run: { session, count in
        let back = try Session.count(count, for: "undo")
        try session.go(to: session.reaching { try session.engine.revision(back: back) })
        return ""
      }),
    PromptCommand(
      name: "redo", usage: "[N]", summary: "goes forward again", argument: .oneOf([]),
      run: { session, count in
        try session.go(to: session.engine.revision(forth: Session.count(count, for: "redo")))
        return ""
      }),
    PromptCommand(
      name: "goto", usage: "N", summary: "goes to a revision", argument: .oneOf([]),
      run: { session, text in
        try session.go(to: try Session.revision(text, for: "goto N"))
        return ""
      }),
    PromptCommand(
      name: "diff", usage: "[A [B]]", summary: "what differs between two revisions",
      detail: "Without B, up to now; without A, the changes of the last commit.",
      argument: .oneOf([]), run: { try $0.diff($1) }),
    PromptCommand(
      name: "advance", usage: "TIME", summary: "advances the time: 5s, 500ms, 2m, 1h",
      argument: .oneOf([]),
      run: { session, text in
        guard let seconds = TimeLength.seconds(text) else {
          throw CommandError(
            ":advance takes a duration, such as 5s, 500ms or 2m, not \"\(text)\"")
        }
        guard !session.clock.isReal else {
          throw CommandError("the clock is real: it advances by itself (:clock virtual stops it)")
        }
        guard session.engine.seconds + seconds < 1e11 else {
          throw CommandError("the clock ends after 3,000 years")
        }
        session.advance(seconds)
        return "it is \(TimeLength.text(session.engine.seconds))"
      }),
    PromptCommand(
      name: "clock", usage: "[real|virtual]", summary: "shows or sets the clock",
      detail: "A virtual clock advances by :advance only, a real one by itself.",
      argument: .oneOf(["real", "virtual"]),
      run: { session, text in
        switch text {
        case "": break
        case "real", "virtual":
          session.letTimePass()
          session.clock.set(real: text == "real", at: session.engine.time)
        default: throw CommandError(":clock takes real or virtual, not \"\(text)\"")
        }
        return "the clock is \(session.clockName); it is \(TimeLength.text(session.engine.seconds))"
      }),
  ]
}
