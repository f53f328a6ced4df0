import StateCharts

@testable import RandomCharts

/// Charts as a reader of flows builds them.
enum Example {
  static let crossing = Drawing(
    "crossing", initial: "on",
    inside: [
      Drawing("off", ways: [.on("power", "on")]),
      Drawing(
        "on", .parallel, ways: [.on("power", "off")],
        inside: [
          Drawing(
            "cars", initial: "green",
            inside: [
              Drawing(
                "green", initial: "fresh",
                inside: [
                  Drawing("fresh", ways: [.on("ripen", "ripe")]),
                  Drawing("ripe", ways: [.always("yellow", when: 1)]),
                ]),
              Drawing("yellow", ways: [.on("tick", "red")]),
              Drawing("red", ways: [.on("tick", "green")]),
            ]),
          Drawing(
            "walkers", initial: "stop",
            inside: [
              Drawing("stop", ways: [.on("push", "waiting")]),
              Drawing("waiting", ways: [.stays("push"), .always("walk", when: 2)]),
              Drawing("walk", ways: [.always("stop", when: 3)]),
            ]),
        ]),
    ])

  static let lobby = Drawing(
    "lobby", initial: "open",
    inside: [
      Drawing("open", ways: [.stays("join"), .stays("leave"), .on("start", "running", when: 1)]),
      Drawing("running", ways: [.stays("leave"), .on("finish", "open")]),
    ])

  static let document = Drawing(
    "document", initial: "draft",
    inside: [
      Drawing("draft", ways: [.stays("edit"), .on("submit", "review")]),
      Drawing(
        "review", .parallel,
        ways: [.on("withdraw", "draft"), .on("reject", "draft"), .done("published")],
        inside: [
          Drawing(
            "legal", initial: "asked",
            inside: [
              Drawing("asked", ways: [.on("approve", "agreed", when: 1)]),
              Drawing("agreed", .final),
            ]),
          Drawing(
            "finance", initial: "asked",
            inside: [
              Drawing("asked", ways: [.on("approve", "agreed", when: 2)]),
              Drawing("agreed", .final),
            ]),
        ]),
      Drawing("published", .final),
    ])

  static let player = Drawing(
    "player", initial: "off",
    inside: [
      Drawing("off", ways: [.on("power", "on", history: .deep)]),
      Drawing(
        "on", .parallel, ways: [.on("power", "off")],
        inside: [
          Drawing(
            "transport", initial: "stopped",
            inside: [
              Drawing("stopped", ways: [.on("play", "playing")]),
              Drawing(
                "playing", initial: "normal",
                ways: [.on("stop", "stopped"), .on("pause", "paused")],
                inside: [
                  Drawing("normal", ways: [.on("faster", "fast")]),
                  Drawing("fast", ways: [.on("slower", "normal")]),
                ]),
              Drawing(
                "paused",
                ways: [.on("play", "playing", history: .shallow), .on("stop", "stopped")]),
            ]),
          Drawing(
            "sound", initial: "audible",
            inside: [
              Drawing("audible", ways: [.on("mute", "muted")]),
              Drawing("muted", ways: [.on("mute", "audible")]),
            ]),
        ]),
    ])

  static let tcp = Drawing(
    "tcp", initial: "closed", ways: [.on("reset", "closed")],
    inside: [
      Drawing(
        "closed", ways: [.on("connect", "opening.syn_sent"), .on("listen", "opening.listen")]),
      Drawing(
        "opening", initial: "listen", ways: [.on("close", "closed"), .on("time_out", "closed")],
        inside: [
          Drawing("listen", ways: [.on("syn", "syn_received"), .stays("time_out")]),
          Drawing("syn_sent", ways: [.on("syn_ack", "established"), .on("syn", "syn_received")]),
          Drawing(
            "syn_received",
            ways: [.on("ack", "established"), .on("close", "closing.fin_wait_1")]),
        ]),
      Drawing(
        "established",
        ways: [.on("close", "closing.fin_wait_1"), .on("fin", "closing.close_wait")]),
      Drawing(
        "closing", initial: "fin_wait_1",
        inside: [
          Drawing("fin_wait_1", ways: [.on("ack", "fin_wait_2"), .on("fin", "closing")]),
          Drawing("fin_wait_2", ways: [.on("fin", "time_wait")]),
          Drawing("closing", ways: [.on("ack", "time_wait")]),
          Drawing(
            "time_wait",
            ways: [.on("expire", "closed"), .on("fin", "time_wait", reach: .reenters)]),
          Drawing("close_wait", ways: [.on("close", "last_ack")]),
          Drawing("last_ack", ways: [.on("ack", "closed")]),
        ]),
    ])
}
