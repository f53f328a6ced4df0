import ArgumentParser
import Testing

@testable import MoonlatchCLI

/// The pages have all that there is, and the command's own help agrees with them.
@Suite struct CoverageOfPagesTests {
  private func text(of pages: String...) throws -> String {
    try pages.map { try Page.named($0).text }.joined()
  }

  @Test("the page of the prompt has every command of the prompt")
  func prompt() throws {
    let text = try text(of: "Prompt")
    for command in PromptCommand.all {
      #expect(text.contains("`:\(command.name)"), "no :\(command.name)")
    }
  }

  @Test("the page of the command has every subcommand and every exit code, and so has its help")
  func command() throws {
    let text = try text(of: "Commands")
    for command in MoonlatchCommand.configuration.subcommands {
      let name = try #require(command.configuration.commandName)
      #expect(text.contains("| `moonlatch \(name) "), "no \(name)")
    }
    let codes = text.matches(of: /(?m)^\| ([0-9]+) \| (.+) \|$/)
    #expect(codes.count == 13)
    for code in codes {
      let line = code.1 + String(repeating: " ", count: 4 - code.1.count) + code.2
      #expect(MoonlatchCommand.configuration.discussion.contains(line), "no \(line)")
    }
  }

  @Test("the page of scenarios has every option of the run")
  func run() throws {
    let text = try text(of: "ScenarioLanguage", "Batch")
    for option in RunCommand.helpMessage().matches(of: /--[a-z-]+/) {
      guard !["--version", "--help"].contains(option.output) else { continue }
      #expect(text.contains(option.output), "no \(option.output)")
    }
  }

  @Test("the pages of the language have every word that the prompt's help knows")
  func words() throws {
    let text = try text(of: "FlowLanguage", "MachinesAndGatekeepers", "ScopesAndEffects", "Prompt")
    for word in LanguageWord.all {
      let isThere = text.contains(try Regex("`([^`\\n]*[^`A-Za-z_])?\(word.name)[^A-Za-z_]"))
      #expect(isThere, "no \(word.name)")
    }
  }

  @Test("the command's help fits a terminal of 80 columns as it was written")
  func width() {
    for command in [MoonlatchCommand.self] + MoonlatchCommand.configuration.subcommands {
      for line in command.configuration.discussion.split(separator: "\n") {
        #expect(line.count <= 80, "\(command.configuration.commandName ?? ""): \(line)")
      }
    }
  }
}
