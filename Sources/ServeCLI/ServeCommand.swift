#if Server
  import ArgumentParser

  @main
  struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "moonlatch-serve")
    mutating func run() async throws {}
  }
#else
  @main
  struct ServeCommand {
    static func main() {
      print("moonlatch-serve was built without the trait Server: swift build --traits defaults,Server,PostgreSQL")
    }
  }
#endif
