#if Server
  import FlowLanguage
  import HTTPTypes
  import Hummingbird
  import LuaRuntime
  import NIOCore
  import NIOHTTP1
  import NIOHTTPTypes

  extension APITokens.Need {
    /// The right to dispatch some action; the route itself checks which action.
    package static let anyDispatch = APITokens.Need.dispatch("")

    /// The right to work on some queue; the route itself checks which queue.
    static let anyWork = APITokens.Need.work("")

    var text: String {
      switch self {
      case .read: "read"
      case .create: "create cases"
      case .end: "end cases"
      case .dispatch(let action): "dispatch \(action)"
      case .work(let queue): "work on queue \(queue)"
      case .tasks: "look after tasks"
      }
    }
  }
#endif
