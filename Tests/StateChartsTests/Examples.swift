import StateCharts

@testable import RandomCharts

/// Charts as built from flows.
enum Example {
  static let crossing = Drawing(
    "crossing", initial: "on",
    inside: [
      Drawing("off", transitions: [.on("power", "on")]),
      Drawing(
        "on", .parallel, transitions: [.on("power", "off")],
        inside: [
          Drawing(
            "cars", initial: "green",
            inside: [
              Drawing(
                "green", initial: "fresh",
                inside: [
                  Drawing("fresh", transitions: [.on("ripen", "ripe")]),
                  Drawing("ripe", transitions: [.always("yellow", when: 1)]),
                ]),
              Drawing("yellow", transitions: [.on("tick", "red")]),
              Drawing("red", transitions: [.on("tick", "green")]),
            ]),
          Drawing(
            "walkers", initial: "stop",
            inside: [
              Drawing("stop", transitions: [.on("push", "waiting")]),
              Drawing("waiting", transitions: [.stays("push"), .always("walk", when: 2)]),
              Drawing("walk", transitions: [.always("stop", when: 3)]),
            ]),
        ]),
    ])

  static let lobby = Drawing(
    "lobby", initial: "open",
    inside: [
      Drawing(
        "open", transitions: [.stays("join"), .stays("leave"), .on("start", "running", when: 1)]),
      Drawing("running", transitions: [.stays("leave"), .on("finish", "open")]),
    ])

  static let document = Drawing(
    "document", initial: "draft",
    inside: [
      Drawing("draft", transitions: [.stays("edit"), .on("submit", "review")]),
      Drawing(
        "review", .parallel,
        transitions: [.on("withdraw", "draft"), .on("reject", "draft"), .done("published")],
        inside: [
          Drawing(
            "legal", initial: "asked",
            inside: [
              Drawing("asked", transitions: [.on("approve", "agreed", when: 1)]),
              Drawing("agreed", .final),
            ]),
          Drawing(
            "finance", initial: "asked",
            inside: [
              Drawing("asked", transitions: [.on("approve", "agreed", when: 2)]),
              Drawing("agreed", .final),
            ]),
        ]),
      Drawing("published", .final),
    ])

  static let player = Drawing(
    "player", initial: "off",
    inside: [
      Drawing("off", transitions: [.on("power", "on", history: .deep)]),
      Drawing(
        "on", .parallel, transitions: [.on("power", "off")],
        inside: [
          Drawing(
            "transport", initial: "stopped",
            inside: [
              Drawing("stopped", transitions: [.on("play", "playing")]),
              Drawing(
                "playing", initial: "normal",
                transitions: [.on("stop", "stopped"), .on("pause", "paused")],
                inside: [
                  Drawing("normal", transitions: [.on("faster", "fast")]),
                  Drawing("fast", transitions: [.on("slower", "normal")]),
                ]),
              Drawing(
                "paused",
                transitions: [.on("play", "playing", history: .shallow), .on("stop", "stopped")]),
            ]),
          Drawing(
            "sound", initial: "audible",
            inside: [
              Drawing("audible", transitions: [.on("mute", "muted")]),
              Drawing("muted", transitions: [.on("mute", "audible")]),
            ]),
        ]),
    ])

  static let tcp = Drawing(
    "tcp", initial: "closed", transitions: [.on("reset", "closed")],
    inside: [
      Drawing(
        "closed",
        transitions: [.on("connect", "opening.syn_sent"), .on("listen", "opening.listen")]),
      Drawing(
        "opening", initial: "listen",
        transitions: [.on("close", "closed"), .on("time_out", "closed")],
        inside: [
          Drawing("listen", transitions: [.on("syn", "syn_received"), .stays("time_out")]),
          Drawing(
            "syn_sent", transitions: [.on("syn_ack", "established"), .on("syn", "syn_received")]),
          Drawing(
            "syn_received",
            transitions: [.on("ack", "established"), .on("close", "closing.fin_wait_1")]),
        ]),
      Drawing(
        "established",
        transitions: [.on("close", "closing.fin_wait_1"), .on("fin", "closing.close_wait")]),
      Drawing(
        "closing", initial: "fin_wait_1",
        inside: [
          Drawing("fin_wait_1", transitions: [.on("ack", "fin_wait_2"), .on("fin", "closing")]),
          Drawing("fin_wait_2", transitions: [.on("fin", "time_wait")]),
          Drawing("closing", transitions: [.on("ack", "time_wait")]),
          Drawing(
            "time_wait",
            transitions: [.on("expire", "closed"), .on("fin", "time_wait", reach: .reenters)]),
          Drawing("close_wait", transitions: [.on("close", "last_ack")]),
          Drawing("last_ack", transitions: [.on("ack", "closed")]),
        ]),
    ])
}
