import FlowPages
import Scenarios

/// The page of the inspector: one file that loads nothing but its own data.
package enum InspectorPage {
  private static let parts: [Substring] = {
    let styles = [PagePart.base.text, text(PackageResources.inspector_css)]
    let scripts =
      [PagePart.scripts(.elements, .changes, .tree, .layout, .arranging, .chart, .form)]
      + [
        PackageResources.asking_js, PackageResources.timeline_js, PackageResources.panels_js,
        PackageResources.comparing_js, PackageResources.pending_js,
        PackageResources.acting_js, PackageResources.cases_js, PackageResources.tasks_js,
        PackageResources.dialogs_js, PackageResources.inspector_js, PackageResources.starting_js,
      ].map(text)
    let page = text(PackageResources.inspector_html)
      .replacing("/*STYLES*/", with: styles.joined(separator: "\n"))
      .replacing("/*SCRIPTS*/", with: scripts.joined(separator: "\n"))
    return page.split(separator: "/*NONCE*/", omittingEmptySubsequences: false)
  }()

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the page for one response, with the nonce that its styles and scripts are identified by.
  package static func text(nonce: String) -> String { parts.joined(separator: nonce) }

  /// Returns the content security policy: the page may send requests to its own server, and nothing else.
  package static func policy(nonce: String) -> String {
    "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
      + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  }
}
