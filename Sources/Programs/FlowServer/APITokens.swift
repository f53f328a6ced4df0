import FlowLanguage

#if Server
  import Platform

  /// The bearer tokens of a server, each with an author and rights.
  ///
  /// A server and its connections share one object, whose tokens can be replaced while the server runs.
  package final class APITokens: Sendable {
    /// The right that a request needs.
    package enum Need: Sendable, Hashable {
      case read
      case create
      case end
      case dispatch(String)
      /// Claiming and answering tasks of a queue.
      case work(String)
      /// Listing, retrying, dropping and answering dead tasks.
      case tasks
    }

    /// The owner of a token.
    package struct Caller: Sendable, Hashable {
      /// The name that commits record as their author (`by()` in Lua); nil for an anonymous token.
      package let by: String?
      private let rights: Set<String>

      /// Creates a caller with rights out of `all`, `read`, `create`, `end`, `dispatch`, `dispatch:ACTION`, `work`,
      /// `work:QUEUE` and `tasks`.
      package init(by: String?, rights: Set<String>) { (self.by, self.rights) = (by, rights) }

      /// Returns true if the caller has the right.
      package func may(_ need: Need) -> Bool {
        if rights.contains("all") { return true }
        return switch need {
        case .read: rights.contains("read")
        case .create: rights.contains("create")
        case .end: rights.contains("end")
        case .dispatch(let action):
          rights.contains("dispatch") || rights.contains("dispatch:\(action)")
        case .work(let queue): rights.contains("work") || rights.contains("work:\(queue)")
        case .tasks: rights.contains("tasks")
        }
      }
    }

    private typealias Callers = [(token: [UInt8], caller: Caller)]
    private let callers: Mutex<Callers>

    /// Creates a set with one anonymous token that has all rights.
    package init(everything token: String) {
      callers = Mutex([(Array(token.utf8), Caller(by: nil, rights: ["all"]))])
    }

    /// Reads a token file: each line has a token, its owner and its rights.
    ///
    ///     # token                            by               may
    ///     4c1f0f6d0a4e4b0f9a1d6a0c5b7e2d31   ann@example.org  all
    ///     9a0e3c5b7d1f4e6a8b2c4d6e8f0a1b3c   kiosk            read create dispatch:order dispatch:pay
    ///
    /// - Parameter flow: the flow that must declare the action of each `dispatch:ACTION`; nil if it is not known.
    /// - Throws: `Malformed`, with the line.
    package init(file text: String, named name: String, of flow: Flow? = nil) throws {
      var callers: Callers = []
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let token = words.first, !token.hasPrefix("#") else { continue }
        let place = "\(name):\(index + 1)"
        guard words.count >= 3 else {
          throw Malformed(
            description:
              "\(place): a line must have a token, its user, and what the user may do, such as read"
          )
        }
        guard token.utf8.count >= 16 else {
          throw Malformed(
            description: "\(place): a token must have at least 16 characters, or it can be guessed")
        }
        let rights = words.dropFirst(2)
        let known = ["all", "read", "create", "end", "dispatch", "work", "tasks"]
        for right in rights
        where !known.contains(right) && !right.hasPrefix("dispatch:") && !right.hasPrefix("work:") {
          throw Malformed(
            description:
              "\(place): there is no right \(right)\(Names.suggestion(for: right, among: known)); there are "
              + "all, read, create, end, dispatch, dispatch:ACTION, work, work:QUEUE and tasks")
        }
        if let flow { try rights.forEach { try APITokens.check($0, of: flow, at: place) } }
        callers.append((Array(token.utf8), Caller(by: words[1], rights: Set(rights))))
      }
      if callers.isEmpty { throw Malformed(description: "\(name): there is no token in it") }
      self.callers = Mutex(callers)
    }

    /// Replaces the tokens by those of another object; tokens that only the old set has are no longer valid.
    package func replace(with other: APITokens) {
      let new = other.callers.withLock { $0 }
      callers.withLock { $0 = new }
    }

    /// Throws if a right names an action that does not exist or cannot be dispatched from outside.
    private static func check(_ right: String, of flow: Flow, at place: String) throws {
      guard right.hasPrefix("dispatch:") else { return }
      let name = String(right.dropFirst("dispatch:".count))
      if flow.action(named: name)?.isInternal == false { return }
      let actions = flow.actions.filter { !$0.isInternal }.map(\.name)
      throw Malformed(
        description:
          "\(place): \(right) names no action of \(flow.file) that can be dispatched from outside"
          + Names.suggestion(for: name, among: actions))
    }

    /// An error in a token file.
    package struct Malformed: Error, CustomStringConvertible { package let description: String }

    /// Returns a random token of 128 bits, as hexadecimal digits.
    package static func random() -> String {
      var generator = SystemRandomNumberGenerator()
      return (0..<4).map { _ in
        let digits = String(UInt32.random(in: .min ... .max, using: &generator), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
      }.joined()
    }

    /// Returns the caller that an `Authorization` header identifies, or nil.
    ///
    /// Each token is compared to its end, so that the time of the comparison reveals nothing.
    func caller(authorization: String?) -> Caller? {
      guard let authorization, authorization.utf8.count > 7,
        authorization.hasPrefix("Bearer ") || authorization.prefix(7).lowercased() == "bearer "
      else { return nil }
      let given = Array(authorization.utf8.dropFirst(7))
      var found: Caller?
      for (token, caller) in callers.withLock({ $0 }) where ConstantTime.areEqual(token, given) {
        found = caller
      }
      return found
    }
  }
#endif
