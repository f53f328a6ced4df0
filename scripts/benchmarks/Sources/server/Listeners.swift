import Bench
import Epoll
import Foundation

/// Many who listen to one view, in one thread that waits for all of them: what they cost is hardly theirs.
final class Listeners {
  private var connections: [Connection] = []
  private let waiting = epoll_make()

  /// Connects so many, each of which is told the value as it is.
  init(_ count: Int, to path: String, of server: Served) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let request = server.request("GET", path)
    var heard = 0
    for index in 0..<count {
      let connection = try Connection(server.port)
      try connection.send(request)
      let isAwaited = epoll_await(waiting, connection.descriptor, UInt32(index)) == 0
      try WrongResult.unless(isAwaited, "nobody can wait for \(count) connections: errno \(errno)")
      connections.append(connection)
      // Not more at once than may wait to be taken.
      if index - heard > 200 { heard += try hear(since: .now, 100).count }
    }
    _ = try hear(since: .now, count - heard)
  }

  deinit { close(waiting) }

  /// Waits until so many have been told an event.
  ///
  /// - Returns: how long each has waited, in milliseconds.
  private func hear(since begin: ContinuousClock.Instant, _ count: Int) throws -> [Double] {
    var times: [Double] = []
    var numbers = [UInt32](repeating: 0, count: 512)
    while times.count < count {
      let ready = epoll_ready(
        waiting, &numbers, Int32(min(numbers.count, count - times.count)), 20_000)
      try WrongResult.unless(ready > 0, "\(count - times.count) of \(count) are told nothing")
      for number in numbers.prefix(Int(ready)) {
        let heard = epoll_hear(connections[Int(number)].descriptor, "event: view")
        try WrongResult.unless(heard >= 0, "a stream has ended")
        // A heartbeat is nothing that is told.
        if heard > 0 { times.append((ContinuousClock.now - begin) / .milliseconds(1)) }
      }
    }
    return times
  }

  /// Dispatches, and has all of them hear of it.
  func tell(by connection: Connection, _ request: [UInt8]) throws -> [Double] {
    let begin = ContinuousClock.now
    try connection.send(request)
    let times = try hear(since: begin, connections.count)
    let answer = try connection.receive()
    try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "it is not dispatched: \(answer)")
    return times
  }
}
