import BrowserTesting
import Signals
import Site
import Testing

/// What assistive technology finds on a page.
@Suite(.enabled(if: BrowserDriver.path != nil), .serialized)
struct `A page for assistive technology` {
  /// An element of every kind.
  struct Screen: View {
    var body: Element {
      Text("Title").style(.title)
      Text("3 rows").style(.status)
      Button("Press") {}
      Button("Disabled") {}.disabled()
      Hyperlink("Site", to: "https://example.com/")
      Image("/cat.png", text: "A cat")
      Section("Fields") {
        TextField("Name", value: .constant(3), id: "name")
        TextEditor("Notes", text: .constant("a\nb"))
        SecureField("Password", text: .constant(""))
        Toggle("Switch", isOn: .constant(true))
        Picker("Color", selection: .constant("red"), options: ["red", "blue"])
        RadioGroup("Size", selection: .constant("S"), options: ["S", "L"])
        ProgressBar("Progress", value: 0.5)
      }
      ListBox { ForEach(["x", "y"], id: \.self) { Text($0) } }
      Table([TableColumn("Column", order: .ascending) {}]) {
        ForEach(["cell"], id: \.self) { text in TableRow { Text(text) } }
      }
    }
  }

  @Test func `each element has its role and its name`() async throws {
    let site = await Site([SiteApp("app", title: "App", store: Store()) { Screen() }])
    try await site.inBrowsers { browsers, address in
      try await browsers[0].open("\(address)/app")
      try await browsers[0].expect("document.documentElement.className", "live")
      let found = try await roles(browsers[0])
      for expected in [
        "heading Title", "status", "button Press", "button Disabled (disabled)", "link Site",
        "image A cat", "region Fields", "heading Fields", "textbox Name", "textbox Notes",
        "textbox Password", "switch Switch (checked)", "combobox Color", "group Size",
        "radio S (checked)", "radio L", "progressbar Progress", "list", "listitem", "table",
        "columnheader Column", "button Column", "row", "cell cell",
      ] {
        #expect(found.contains(expected), "\(found)")
      }
    }
  }

  @Test func `a cover is a dialog, and nothing else is there`() async throws {
    let site = await Site([
      SiteApp("app", title: "App", store: Store()) {
        Button("Behind") {}
        Text("text").covered(when: true) { Button("In front") {} }
      }
    ])
    try await site.inBrowsers { browsers, address in
      try await browsers[0].open("\(address)/app")
      let found = try await roles(browsers[0])
      #expect(found.contains("dialog") && found.contains("button In front"))
      #expect(!found.contains("button Behind"))
    }
  }

  /// The roles, names and states of the elements of a page.
  private func roles(_ browser: Browser) async throws -> [String] {
    let tree = try await browser.tools("Accessibility.getFullAXTree", [:]) as? [String: Any]
    let nodes = try #require(tree?["nodes"] as? [[String: Any]])
    func value(_ part: Any?) -> String { ((part as? [String: Any])?["value"] as? String) ?? "" }
    return nodes.filter { $0["ignored"] as? Bool != true }.map { node in
      let states = (node["properties"] as? [[String: Any]] ?? []).filter {
        let value = ($0["value"] as? [String: Any])?["value"]
        return value as? Bool == true || value as? String == "true"
      }.compactMap { $0["name"] as? String }.filter { ["checked", "disabled"].contains($0) }
      let name = [value(node["role"]), value(node["name"])].filter { !$0.isEmpty }
      return (name + states.map { "(\($0))" }).joined(separator: " ")
    }
  }
}
