import ArgumentParser
import Testing

@testable import MoonlatchCLI

/// Completeness of the pages and of the command's own help.
@Suite struct CoverageOfPagesTests {
  private func text(of pages: String...) throws -> String {
    try pages.map { try Page.named($0).text }.joined()
  }

  @Test("the page about the prompt lists every command of the prompt")
  func prompt() throws {
    let text = try text(of: "Prompt")
    for command in PromptCommand.all {
      #expect(text.contains("`:\(command.name)"), "no :\(command.name)")
    }
  }

  @Test("the page about the command and its help list every subcommand and every exit code")
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

  @Test("the page about scenarios lists every option of run")
  func run() throws {
    let text = try text(of: "ScenarioLanguage", "Batch")
    for option in RunCommand.helpMessage().matches(of: /--[a-z-]+/) {
      guard !["--version", "--help"].contains(option.output) else { continue }
      #expect(text.contains(option.output), "no \(option.output)")
    }
  }

  @Test("the pages about the language have every word of the prompt's help")
  func words() throws {
    let text = try text(of: "FlowLanguage", "MachinesAndGatekeepers", "ScopesAndEffects", "Prompt")
    for word in LanguageWord.all {
      let isThere = text.contains(try Regex("`([^`\\n]*[^`A-Za-z_])?\(word.name)[^A-Za-z_]"))
      #expect(isThere, "no \(word.name)")
    }
  }

  @Test("the command's help fits a terminal of 80 columns without wrapping")
  func width() {
    for command in [MoonlatchCommand.self] + MoonlatchCommand.configuration.subcommands {
      for line in command.configuration.discussion.split(separator: "\n") {
        #expect(line.count <= 80, "\(command.configuration.commandName ?? ""): \(line)")
      }
    }
  }
}
