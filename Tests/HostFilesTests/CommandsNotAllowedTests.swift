import HostFiles
import Testing

/// The error of a host file with commands that must not run.
@Suite struct CommandsNotAllowedTests {
  @Test("each command of a host file is named with its line, unless commands are allowed")
  func named() throws {
    let file = try HostFolder().load(
      """
      provide {
        mail = worker(),
        free = command { "/bin/cat", "--", "{path}", args = { "path" } },
        list = command { "/bin/cat" },
      }
      """)
    let error = try #require(throws: CommandsNotAllowed.self) {
      try file.expectAllowed(commands: false)
    }
    #expect(
      error.description == """
        order.host.lua:3: root.free runs a program: command /bin/cat -- {path}
        order.host.lua:4: root.list runs a program: command /bin/cat
        Start with --allow-commands if the host file may run programs.
        """)
    try file.expectAllowed(commands: true)
  }

  @Test("a host file without commands needs no permission")
  func none() throws {
    try HostFolder().load("provide { mail = worker() }").expectAllowed(commands: false)
  }
}
