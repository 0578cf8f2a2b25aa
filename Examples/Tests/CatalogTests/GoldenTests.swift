import CatalogApp
import Signals
import Testing

@Suite struct `A catalogue, intent by intent` {
  let store = Store(undoLimit: .max)
  let session: Session

  init() throws {
    try store.loadSample()
    session = Session(store)
  }

  private func perform(_ lines: String...) -> String {
    lines.map { session.perform($0).text }.last ?? ""
  }

  @Test func `the first frame lists everything by name`() {
    #expect(
      session.start.text == """
        3 of 3 packages | section: all | filter: "" | sort: name asc
        apt  2.6  40 KiB  admin
        gpgv2  2.2  0 KiB  admin
        libc6  2.36  120 KiB  libs [held]
        """)
  }

  @Test func `a filter, a section and an order narrow and sort the list`() {
    #expect(
      perform("filter P", "section admin", "sort size desc") == """
        2 of 3 packages | section: admin | filter: "P" | sort: size desc
        apt  2.6  40 KiB  admin
        gpgv2  2.2  0 KiB  admin
        """)
  }

  @Test func `a package shows what it needs and what needs it`() {
    #expect(
      perform("open apt") == """
        apt 2.6
        section: admin
        size: 40 KiB
        maintainer: Deity
        held: no
        depends (2): gpgv2, libc6
        unresolved (1): missing
        required by (0):
        """)
    #expect(perform("open libc6").hasSuffix("required by (2): apt, gpgv2"))
  }

  @Test func `removing drops the links both ways, and undo brings them back`() {
    let before = perform("open apt")
    #expect(perform("remove libc6").contains("depends (1): gpgv2"))
    #expect(perform("undo") == before)
    #expect(perform("open libc6").hasSuffix("required by (2): apt, gpgv2"))
  }

  @Test func `removing the open package goes back to the list, and undo does not reopen it`() {
    #expect(perform("open apt", "remove apt").hasPrefix("2 of 2 packages"))
    #expect(perform("undo").hasPrefix("3 of 3 packages"))
  }

  @Test func `holding is undone in the order in which it was done`() {
    #expect(perform("hold apt", "unhold libc6", "undo").contains("libs [held]"))
    #expect(session.perform("undo").text.contains("apt  2.6  40 KiB  admin\n"))
    #expect(session.perform("undo").text == "error: there is nothing to undo")
  }

  @Test(arguments: [
    "frobnicate", "open", "open nothing", "open apt libc6", "sort", "sort color", "sort name up",
    "section", "section nowhere", "hold libc6", "unhold apt", "back", "undo", "remove nothing",
  ])
  func `a refused intent says why and changes nothing`(_ line: String) {
    let before = perform("filter ")
    #expect(session.perform(line).text.hasPrefix("error: "))
    #expect(perform("filter ") == before)
  }

  @Test func `holding a package evaluates its row and nothing else`() {
    #expect(session.perform("hold apt").statistics.bodies == 1)
    _ = session.perform("open apt")
    #expect(session.perform("unhold apt").statistics.bodies == 1)
  }
}
