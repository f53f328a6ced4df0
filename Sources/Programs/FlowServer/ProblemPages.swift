#if Server
  import Hummingbird

  /// The pages that the types of problems lead to.
  enum ProblemPages {
    /// The sentences about each type of problem, by the last part of its path.
    static let texts = [
      "malformed": "The request cannot be read. The detail names the field and its form.",
      "too-large": "A body, a result or its arguments are larger than allowed.",
      "media-type": "A body is sent as application/json.",
      "unauthorized": "The request needs a token of the server: Authorization: Bearer TOKEN.",
      "forbidden": "The token does not have the right. The token file lists the rights.",
      "unknown-queue": "No capability of the host file has a queue of that name.",
      "unknown-task": "There is no such task, or it was closed more than an hour ago.",
      "lease-lost": """
      The lease of the token has ended, and the task was given to another worker or given back. Stop the work; the \
      other worker answers.
      """,
      "already-answered": """
      The task already has a different answer. Sending that same answer again gets the same response.
      """,
      "task-closed": """
      Nothing waits for the task any more: the state was left, the effect was stopped or the case has ended. Stop the \
      work. An answer that was sent is kept for a week, and listed as unheard.
      """,
      "result-mismatch": """
      The result is not of the type that the host file declares. The task stays leased: send another result.
      """,
      "too-many-polls":
        "Too many claims wait at this node. Try again after the time of Retry-After.",
      "not-dead": """
      The task is not dead, or nobody provides its capability. Only a dead task is retried, or answered without a token: \
      somebody may have retried or answered it before.
      """,
      "open-call":
        "A call waits for the task, or no try of the notification's event has failed: it cannot be dropped.",
      "bad-signature": "The signature of the request is missing or wrong, or too old.",
      "unknown-hook": "The server has no webhook of that name.",
      "unknown-call": "There is no such call, or it was closed more than an hour ago.",
      "hook-failed":
        "The webhook's function or the flow has failed. The log of the server says why.",
      "hooks-busy":
        "Too many requests to webhooks are handled at once. Send the same after the time of Retry-After.",
      "journal": "The journal has failed. Send the same request again.",
    ]

    static func mount(on routes: Routes) {
      routes.at("problems", open: true).get(":name") { call in
        let name = try call.parameter("name")
        guard let text = texts[name] else {
          throw Problem.notFound("there is no problem of the type \(name)")
        }
        return .text("\(name)\n\n\(text)\n", as: "text/plain; charset=utf-8")
      }
    }
  }
#endif
