import Hummingbird
import Logging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// The baseline for moonlatch-serve: the same library, which accepts the same request and answers a constant of the same
// size. Prints its port, and serves until it is killed.

let answer = ByteBuffer(string: "{\"action\":\"increase\",\"revision\":100000}")
let router = Router()
router.post("cases/:id/actions/:action") { _, _ in
  Response(
    status: .ok,
    headers: [.contentType: "application/json", .contentLength: String(answer.readableBytes)],
    body: ResponseBody(byteBuffer: answer))
}
// The provider of `http` capabilities: it takes 5 ms.
router.post("charges") { _, _ in
  try await Task.sleep(for: .milliseconds(5))
  let charge = ByteBuffer(string: "{\"id\":\"ch-100000\"}")
  return Response(
    status: .ok,
    headers: [.contentType: "application/json", .contentLength: String(charge.readableBytes)],
    body: ResponseBody(byteBuffer: charge))
}
var quiet = Logger(label: "bare")
quiet.logLevel = .critical
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
  onServerRunning: {
    print("bare at http://127.0.0.1:\($0.localAddress?.port ?? 0)")
    fflush(nil)
  }, logger: quiet)
try await application.runService()
