// The catalogue as a full-screen app: what a terminal shows of the same browser, driven by the same intents.

import ControlFile
import Shell
package import Signals
import SignalsTerminal

/// The full-screen catalogue: search, table, package, and a line about all of it.
///
/// | key | what it does |
/// |---|---|
/// | `/` | goes to the search; what is typed there filters |
/// | return | opens the package, or the section picker, or sorts by a title |
/// | `h`, `d` | holds (or no longer holds) and removes the selected package |
/// | `u` | undoes |
/// | escape | goes back |
/// | `?`, `q` | shows what keys do, and quits |
package struct CatalogTerminal: View {
  private let browser: Browser
  @Focus private var focus

  /// Shows what somebody looks at.
  package init(_ browser: Browser) { self.browser = browser }

  /// What the view shows.
  package var body: Element {
    FullScreen(status: status, keys: keys, fields: ["search"]) {
      if let package = browser.open {
        PackagePage(package: package, browser: browser) { try remove(package.name) }
      } else {
        SearchBar(browser: browser)
        PackageTable(browser: browser)
      }
    }
    .onKey("/") {
      if browser.open != nil { try browser.perform(.back) }
      focus = "search"
    }
    .onKey("h") { try toggleHold() }
    .onKey("d") { if let name = selected { try remove(name) } }
    .onKey("u") { try browser.perform(.undo) }
    .onKey("escape") { if browser.open != nil { try browser.perform(.back) } }
  }

  /// How much there is.
  private var status: String {
    "\(browser.visible.value.count) of \(browser.sorted.value.count) packages"
  }

  private var keys: [FullScreen.Key] {
    let acts: [FullScreen.Key] = [.init("h", "hold"), .init("d", "remove"), .init("u", "undo")]
    return browser.open == nil
      ? [.init("/", "search")] + acts
        + [.init("down", "to the packages", inFieldsAlone: true)]
      : acts + [.init("esc", "back")]
  }

  /// The package that is open, or that the row with the focus shows.
  private var selected: ScalarText? {
    if let open = browser.open { return open.name }
    guard let focus, focus.hasPrefix(PackageLine.prefix) else { return nil }
    return ScalarText(String(focus.dropFirst(PackageLine.prefix.count)))
  }

  /// Removes a package; from its own page it leads to the row that comes into its place.
  private func remove(_ name: ScalarText) throws {
    let isOpen = browser.open?.name == name
    let next = isOpen ? browser.neighbor(of: name) : nil
    try browser.perform(.remove(name))
    browser.landing = next
  }

  private func toggleHold() throws {
    guard let name = selected else { return }
    let package = browser.store.object(Package.self, primaryKey: name)
    try browser.perform(package?.isHeld == true ? .unhold(name) : .hold(name))
  }
}

/// What is searched for, and where.
struct SearchBar: View {
  let browser: Browser
  @ObservedResults(PackageSection.self, sortedBy: \.name) var sections

  var body: Element {
    Row {
      TextField(
        "Search",
        text: Binding(
          get: { browser.filter.string },
          set: { [browser] in try? browser.perform(.filter(ScalarText($0))) }), id: "search"
      ).frame(flex: 1)
      Picker(
        "Section",
        selection: Binding(
          get: { browser.section?.name.string ?? "all" },
          set: { [browser] in
            try? browser.perform(.section($0 == "all" ? nil : ScalarText($0)))
          }), options: ["all"] + sections.map(\.name.string), id: "section")
    }
  }
}

/// All packages that are searched for, however many: only those in sight are made.
struct PackageTable: View {
  let browser: Browser

  var body: Element {
    Table(
      [
        column(.name, "Name", flex: 2),
        TableColumn("Version", minWidth: 8, maxWidth: 24, flex: 1),
        column(.size, "KiB", width: 9, alignment: .trailing),
        column(.section, "Section", width: 14),
        TableColumn("", minWidth: 4, maxWidth: 4),
      ], id: "packages"
    ) {
      ForEach(browser.visible.value) { package in
        PackageLine(package: package, browser: browser)
      }
    }
  }

  private func column(
    _ field: SortField, _ title: String, width: Int? = nil, flex: Double? = nil,
    alignment: ElementAlignment? = nil
  ) -> TableColumn {
    let isSorted = browser.field == field
    let order = browser.order
    return TableColumn(
      title, id: "sort-\(field)", minWidth: width ?? 10, maxWidth: width, flex: flex,
      alignment: alignment, order: isSorted ? order : nil
    ) { [browser] in
      let isReversed = isSorted && order == .ascending
      try browser.perform(.sort(field, isReversed ? .descending : .ascending))
    }
  }
}

/// One package in the table.
struct PackageLine: View {
  static let prefix = "package-"

  @ObservedObject var package: Package
  @Focus private var focus
  let browser: Browser

  init(package: Package, browser: Browser) { (self.package, self.browser) = (package, browser) }

  var body: Element {
    let (package, browser) = (package, browser)
    let id = "\(PackageLine.prefix)\(package.name)"
    TableRow(id: id) {
      Text(package.name.string)
      Text(package.version.string).style(.secondary)
      Text("\(package.size)")
      Text(package.section?.name.string ?? "-")
      Text(package.isHeld ? "held" : "").style(.warning)
    } onTap: {
      try browser.perform(.open(package.name))
    }
    .onAppear {
      // Where another row has it already, this one is made because somebody scrolls.
      guard browser.landing === package, focus == nil else { return }
      browser.landing = nil
      focus = id
    }
  }
}

/// Everything about one package; what it needs, and what needs it, lead there.
struct PackagePage: View {
  @ObservedObject var package: Package
  let browser: Browser
  let remove: () throws -> Void

  var body: Element {
    let (package, browser) = (package, browser)
    Row {
      Text(package.name.string).style(.title)
      Text(package.version.string).style(.secondary)
      if package.isHeld { Text("held").style(.warning) }
    }
    Row {
      Button("Back", id: "back") { try browser.perform(.back) }
      Button(package.isHeld ? "Unhold" : "Hold", id: "hold") {
        try browser.perform(package.isHeld ? .unhold(package.name) : .hold(package.name))
      }
      Button("Remove", id: "remove", action: remove)
    }
    Text(
      "section \(package.section?.name ?? "-"), \(package.size) KiB, by \(package.maintainer?.name ?? "-")"
    )
    ListBox {
      links("depends on", Array(package.dependencies))
      Section("unresolved (\(package.unresolved.count))") {
        ForEach(package.unresolved, id: \.self) { Text($0.string).style(.secondary) }
      }
      links("required by", Array(package.dependents))
    }
  }

  private func links(_ title: String, _ packages: [Package]) -> Section {
    let browser = browser
    return Section("\(title) (\(packages.count))") {
      ForEach(packages.sorted { $0.name < $1.name }) { package in
        Button(package.name.string, id: "\(title) \(package.name)") {
          try browser.perform(.open(package.name))
        }
      }
    }
  }
}
