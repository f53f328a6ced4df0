import Foundation
import Testing

@testable import FlowLanguage

@Suite struct FolderListingTests {
  @Test("entries are sorted by name, each with its kind, hidden ones included")
  func entries() throws {
    let folder = try TestFolder()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "a"), withIntermediateDirectories: true)
    for name in ["b.lua", "a/x.lua", ".hidden"] {
      try Data().write(to: folder.url.appending(path: name))
    }
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "c"), withDestinationURL: URL(filePath: "/nowhere"))
    let listing = try #require(FolderListing(folder.url.path))
    #expect(listing.entries.map(\.name) == [".hidden", "a", "b.lua", "c"])
    #expect(listing.entries.map(\.kind) == [.file, .folder, .file, .link])
  }

  @Test("a path that is no folder has no listing")
  func none() throws {
    let folder = try TestFolder()
    try Data().write(to: folder.url.appending(path: "b.lua"))
    #expect(FolderListing(folder.url.appending(path: "b.lua").path) == nil)
    #expect(FolderListing(folder.url.appending(path: "nowhere").path) == nil)
  }
}
