#if PostgreSQL
  import FlowKernel
  import JournalRows
  import Platform

  /// Notifies other processes of cases with something new, on a connection and a thread of its own.
  ///
  /// A `NOTIFY` in a transaction takes a lock of the whole server until the transaction is on the disk, so it
  /// is in no transaction that stores anything. It is sent after the commit, for many cases at once, at most
  /// 20 times a second, and is not synced. Lost notifications do no harm, because receivers also poll each
  /// second.
  final class PostgresNotifier: Sendable {
    private struct State {
      var ids: Set<ExactText> = []
      var isClosing = false
      var isOver = false
    }

    static let channel = "moonlatch"
    /// The greatest number of cases in a twentieth of a second; the others are found by polling.
    private static let most = 2_000
    /// The greatest length of a payload: PostgreSQL requires less than 8,000 bytes.
    private static let longest = 7_900
    private static let pause: UInt32 = 50_000

    private let place: PostgresPlace
    private let state = Monitor(State())

    init(_ place: PostgresPlace) {
      self.place = place
      if !SystemThread.start({ self.run() }) { state.with { $0.isOver = true } }
    }

    /// Returns payloads that consist of a journal's schema and ids of cases, in hexadecimal.
    static func payloads(_ schema: String, _ ids: Set<ExactText>) -> [String] {
      var payloads: [String] = []
      var payload = schema
      for id in ids {
        let word = id.text.utf8.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
        if payload.utf8.count + word.count >= longest {
          payloads.append(payload)
          payload = schema
        }
        payload += " " + word
      }
      return payloads + [payload]
    }

    /// Returns the ids in a payload; nil if it is of another journal.
    static func ids(of payload: String, _ schema: String) -> Set<String>? {
      let words = payload.split(separator: " ")
      guard words.first.map(String.init) == schema else { return nil }
      return Set(
        words.dropFirst().map { word in
          let digits = Array(word.utf8)
          let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
          }
          return String(decoding: bytes, as: UTF8.self)
        })
    }

    /// Queues a notification of other processes.
    func tell(_ ids: [String]) {
      if ids.isEmpty { return }
      state.with(waking: true) { state in
        if !state.isOver && state.ids.count < Self.most {
          for id in ids { state.ids.insert(ExactText(id)) }
        }
      }
    }

    private func run() {
      let link = PostgresLink(place, shards: nil, isQuick: true)
      while true {
        let (ids, isClosing) = state.wait { state -> (Set<ExactText>, Bool)? in
          if state.ids.isEmpty && !state.isClosing { return nil }
          defer { state.ids = [] }
          return (state.ids, state.isClosing)
        }
        // If this fails, the receivers find the cases by polling.
        for payload in ids.isEmpty ? [] : Self.payloads(place.schema, ids) {
          _ = try? link.perform { (connection) throws(JournalError) in
            try connection.run(
              "SELECT pg_notify('\(Self.channel)', convert_from(?, 'UTF8'))", .text(payload))
          }
        }
        if isClosing { break }
        usleep(Self.pause)
      }
      link.close()
      state.with(waking: true) { $0.isOver = true }
    }

    func close() {
      state.with(waking: true) { $0.isClosing = true }
      state.wait { $0.isOver ? () : nil }
    }
  }

  /// Listens for the cases that have something new, whichever process has written it.
  final class PostgresListener: Sendable {
    private let isOver = Monitor((wanted: false, done: false))

    /// Starts listening, until `close`.
    init(_ place: PostgresPlace, _ told: @escaping @Sendable (Set<String>) -> Void) {
      let started = SystemThread.start { [isOver] in
        let link = PostgresLink(place, shards: nil)
        var listening: ObjectIdentifier?
        while !isOver.with({ $0.wanted }) {
          do throws(JournalError) {
            let connection = try link.opened()
            if listening != ObjectIdentifier(connection) {
              try connection.script("LISTEN \(PostgresNotifier.channel)")
              listening = ObjectIdentifier(connection)
            }
            for payload in try connection.notifications(milliseconds: 100) {
              if let ids = PostgresNotifier.ids(of: payload, place.schema) { told(ids) }
            }
          } catch {
            listening = nil
            usleep(100_000)
          }
        }
        link.close()
        isOver.with(waking: true) { $0.done = true }
      }
      if !started { isOver.with { $0.done = true } }
    }

    /// Stops listening.
    func close() {
      isOver.with { $0.wanted = true }
      isOver.wait { $0.done ? () : nil }
    }
  }
#endif
