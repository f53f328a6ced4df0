#if Server
  import LuaRuntime

  extension OpenAPI {
    /// The path of webhooks, whose names and events only their senders know.
    static var hookPaths: [String: Value] { ["/hooks/{name}": ["post": sendEvent.value]] }

    private static var sendEvent: Operation {
      Operation(
        "sendEvent", "Sends an event to a webhook",
        description: """
          It needs no token: the signature over the body is the right. The event is JSON or a form, as its sender makes \
          it. The response says if it was ignored, dispatched to a case, or taken as the answer of a call.
          """,
        [
          [
            "name": "name", "in": "path", "required": true,
            "schema": [
              "type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[^\\u0000]+$",
            ], "description": "The name of the webhook in the host file.",
          ]
        ], ["200", "409"],
        reasons: [
          "401": problems("bad-signature"), "404": problems("unknown-hook", "unknown-call"),
          "500": problems("hook-failed"), "503": problems("hooks-busy", "journal"),
        ],
        answer: OpenAPISchemas.record(
          [
            "ignored": OpenAPISchemas.flag, "revision": OpenAPISchemas.count,
            "answered": OpenAPISchemas.flag, "unheard": OpenAPISchemas.flag,
            "refused": OpenAPISchemas.flag, "who": OpenAPISchemas.text,
            "why": OpenAPISchemas.text,
          ],
          optional: ["ignored", "revision", "answered", "unheard", "refused", "who", "why"]),
        body: ["description": "The event."], isOpen: true)
    }
  }
#endif
