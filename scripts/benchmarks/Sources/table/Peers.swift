import Foundation

/// The peers that are installed; those that are not have no figures.
struct Peers {
  let redux: Peer
  let toolkit: Peer
  let xstate: Peer
  let pythonStateMachine: Peer
  let commits: Peer
  let scxml: Peer
  let erlang: Peer
  let luajit: Peer
  let dbos: Peer

  init(_ settings: Settings) {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers").path
    func node(_ file: String, modules: String?) -> [String]? {
      modules == nil ? nil : settings.node.map { [$0, folder + file] }
    }
    func environment(modules: String?) -> [String: String] {
      ["NODE_ENV": "production", "NODE_PATH": modules ?? ""]
    }
    let (debian, npm) = ("/usr/share/nodejs", settings.modules)
    let noCache = ["PYTHONDONTWRITEBYTECODE": "1"]
    redux = Peer(
      "Redux", node("/redux.cjs", modules: debian), environment: environment(modules: debian))
    toolkit = Peer(
      "Redux Toolkit", node("/toolkit.cjs", modules: npm), environment: environment(modules: npm))
    xstate = Peer(
      "XState", node("/xstate.cjs", modules: npm), environment: environment(modules: npm))
    pythonStateMachine = Peer(
      "python-statemachine", settings.python.map { [$0, folder + "/python_statemachine.py"] },
      environment: noCache)
    commits = Peer(
      "transitions", settings.python.map { [$0, folder + "/python_transitions.py"] },
      environment: noCache)
    scxml = Peer("Qt SCXML", settings.scxml.map { [$0, folder + "/flip.scxml"] })
    erlang = Peer("Elixir", settings.elixir.map { [$0, folder + "/processes.exs"] })
    luajit = Peer("LuaJIT", settings.luajit.map { [$0, folder + "/store.lua"] })
    dbos = Peer(
      "DBOS", settings.dbos.map { [$0, folder + "/dbos_sqlite.py", settings.disk] },
      environment: noCache)
  }

  var all: [Peer] {
    [redux, toolkit, xstate, pythonStateMachine, commits, scxml, erlang, luajit, dbos]
  }
}
