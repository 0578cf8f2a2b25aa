import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsHTML

/// Pages that a script keeps up to date.
@Suite struct `Live pages` {
  func session(@ElementBuilder _ root: @escaping () -> Element) -> HTMLSession {
    HTMLSession(Store(), title: "T", live: "/live", root: root)
  }

  @Test func `a text that changes costs its length and at most 40 bytes`() throws {
    let text = Signal("one")
    let page = try ScriptedPage(
      session {
        for number in 0..<100 { Text("\(number)") }
        Text(text.value)
      })
    text.value = "another"
    #expect(try #require(try page.update()) <= "another".utf8.count + 40)
    #expect(try page.update() == nil)
  }

  @Test func `one row before 100 is one operation, and one that changes another`() throws {
    let rows = Signal(Array(0..<99))
    let texts = (0..<100).map { Signal("row \($0)") }
    let page = try ScriptedPage(
      session { ForEach(rows.value, id: \.self) { row in Text(texts[row].value) } })
    rows.value.insert(99, at: 0)
    let patch = try #require(page.page.nextPatch())
    #expect(String(decoding: patch, as: UTF8.self).split(separator: "[\"").count == 2)
    texts[50].value = "changed"
    let other = try #require(page.page.nextPatch())
    #expect(String(decoding: other, as: UTF8.self).hasSuffix(",\"changed\"]]"))
    #expect(other.count < 40)
  }

  @Test func `rows that come or go together are one operation`() throws {
    let rows = Signal(Array(0..<50))
    let page = try ScriptedPage(
      session { ForEach(rows.value, id: \.self) { row in if row != 17 { Text("row \(row)") } } })
    rows.value.insert(contentsOf: 100..<120, at: 10)
    rows.value.removeSubrange(33..<43)
    let patch = String(decoding: try #require(page.page.nextPatch()), as: UTF8.self)
    #expect(patch.split(separator: "[\"i\"").count == 2)
    #expect(patch.split(separator: "[\"x\"").count == 2)
    #expect(patch.split(separator: "[\"").count == 3)
    rows.value = []
    let last = String(decoding: try #require(page.page.nextPatch()), as: UTF8.self)
    #expect(last.count < 40)
  }

  @Test func `a page has as many rows as the limit says`() throws {
    for (limit, shown) in [(1000, 1000), (0, 10), (5000, 2000)] {
      let limits = HTMLLimits(rows: limit)
      let session = HTMLSession(Store(), title: "Rows", live: "/live", limits: limits) {
        ForEach(0..<2000, id: \.self) { Text("row \($0)") }
      }
      let page = try ScriptedPage(session)
      #expect(page.form.all.count { $0.text.hasPrefix("row ") } == shown)
    }
  }

  @Test func `rows that are moved aren't removed`() throws {
    let rows = Signal(Array(0..<20))
    let page = try ScriptedPage(session { ForEach(rows.value, id: \.self) { Text("\($0)") } })
    rows.value.reverse()
    let patch = String(decoding: try #require(page.page.nextPatch()), as: UTF8.self)
    #expect(!patch.contains("[\"x\"") && !patch.contains("[\"i\""))
    rows.value = Array(rows.value.dropFirst() + rows.value.prefix(1))
    let one = String(decoding: try #require(page.page.nextPatch()), as: UTF8.self)
    #expect(one.split(separator: "[\"m\"").count == 2)
  }

  @Test(arguments: ["ul", "tbody"])
  func `of 100,000 rows a page has 100, and room for the others`(tag: String) throws {
    let rows = Signal(0..<100_000)
    let page = try ScriptedPage(
      session {
        if tag == "ul" {
          ForEach(rows.value, id: \.self) { Text("\($0)") }
        } else {
          Table([TableColumn("row")]) {
            ForEach(rows.value, id: \.self) { row in TableRow { Text("\(row)") } }
          }
        }
      })
    /// The rows that are left out before and after those that are shown, and the first of these.
    func shown() throws -> [String] {
      let list = try #require(page.form.all.first { $0.tag == tag })
      #expect(list.children.count == 102)
      let rooms = [list.children[0], list.children[101]].map { $0.attributes["data-rows"] ?? "" }
      return rooms + [list.children[1].all.last?.text ?? ""]
    }
    #expect(try shown() == ["0", "99900", "0"])
    let name = try #require(page.form.all.compactMap { $0.attributes["data-list"] }.first)
    for (asked, first) in [
      (5000, 5000), (5050, 5050), (-1, 0), (2_000_000, 99_900), (99_900, 99_900),
    ] {
      try page.send(page.message(("do", "rows.\(name).\(asked)")))
      try page.update()
      #expect(try shown() == ["\(first)", "\(100_000 - 100 - first)", "\(first)"])
    }
    rows.value = 0..<100_001
    try page.update()
    #expect(try shown() == ["99900", "1", "99900"])
    rows.value = 0..<100
    try page.update()
    #expect(page.form.all.allSatisfy { $0.attributes["data-list"] == nil })
  }

  @Test func `what is typed isn't sent back, and what is refused is taken back`() throws {
    let text = Signal("")
    let page = try ScriptedPage(
      session {
        TextField(
          "T", text: Binding(get: { text.value }, set: { text.value = String($0.prefix(3)) }))
      })
    let field = try page.control("T")
    page.enter("abc", into: field)
    try page.send(page.message())
    #expect(text.value == "abc")
    #expect(page.page.nextPatch().map { String(decoding: $0, as: UTF8.self) } == "[1,1]")
    page.enter("abcd", into: field)
    try page.send(page.message())
    try page.update()
    #expect(field.value == "abc")
  }

  @Test func `what was typed while its field was gone for a moment is taken back`() throws {
    let text = Signal("mine")
    let isShown = Signal(true)
    let session = session { if isShown.value { TextField("T", text: text.binding) } }
    let (page, other) = (try ScriptedPage(session), try ScriptedPage(session))
    let field = try page.control("T")
    page.enter("theirs", into: field)
    isShown.value = false
    // Only this page has the field still.
    try other.update()
    try page.send(page.message())
    isShown.value = true
    try page.update()
    #expect(field.value == "mine")
    #expect(text.value == "mine")
  }

  /// A text in a row, which is changed in a dialog of the row.
  private struct Renaming: View {
    let label: Signal<String>
    @State private var isAsking = false

    var body: Element {
      Text("label \(label.value)")
      Button("Rename") { isAsking = true }
        .covered(when: isAsking) {
          TextField("Name", text: label.binding)
          Button("Done") { isAsking = false }
        }
    }
  }

  @Test func `a row behind its dialog shows what has changed in it, then and later`() throws {
    let labels = (0..<3).map { Signal("\($0)") }
    let page = try ScriptedPage(
      session { ForEach(0..<3, id: \.self) { row in Column { Renaming(label: labels[row]) } } })
    func press(_ button: String) throws {
      try page.send(page.message(("do", page.button(button))))
      try page.update()
    }
    func shown() -> [String] { page.form.all.map(\.text).filter { $0.hasPrefix("label") } }
    try press("Rename")
    page.enter("changed", into: try page.control("Name"))
    try press("Done")
    #expect(shown() == ["label changed", "label 1", "label 2"])
    labels[0].value = "later"
    try page.update()
    #expect(shown() == ["label later", "label 1", "label 2"])
  }

  /// Rows, of which it is noted that they were made, behind a dialog of the view that contains them.
  private struct CoveredRows: View {
    let rows: Signal<[Int]>
    let isAsking: Signal<Bool>
    let made: (Int) -> Void

    var body: Element {
      ForEach(rows.value, id: \.self) { row in
        let _ = made(row)
        Text("row \(row)")
      }
      Text("end").covered(when: isAsking.value) { Text("asked") }
    }
  }

  @Test func `rows behind a dialog of their view aren't made`() throws {
    let (rows, isAsking) = (Signal([0, 1]), Signal(false))
    var made: [Int] = []
    let page = try ScriptedPage(
      session {
        Column { CoveredRows(rows: rows, isAsking: isAsking) { made.append($0) } }
      })
    isAsking.value = true
    try page.update()
    rows.value.append(2)
    try page.update()
    #expect(!made.contains(2))
    isAsking.value = false
    try page.update()
    let shown = page.form.all.map(\.text).filter { $0.hasPrefix("row") }
    #expect(shown == ["row 0", "row 1", "row 2"])
  }

  @Test func `a new row that begins with its dialog covers the screen`() throws {
    let rows = Signal([0, 1])
    let page = try ScriptedPage(
      session {
        ForEach(rows.value, id: \.self) { row in
          Text("row \(row)").covered(when: row == 2) { Text("asked by \(row)") }
        }
      })
    rows.value.append(2)
    try page.update()
    #expect(page.form.all.contains { $0.attributes["role"] == "dialog" })
    #expect(page.form.all.map(\.text).filter { !$0.isEmpty } == ["Enter", "asked by 2"])
  }

  @Test func `what isn't sent yet stays, whatever others change`() throws {
    let text = Signal("")
    let page = try ScriptedPage(session { TextField("T", text: text.binding) })
    let field = try page.control("T")
    page.enter("mine", into: field)
    text.value = "theirs"
    try page.update()
    #expect(field.value == "mine")
    try page.send(page.message())
    #expect(text.value == "mine")
    try page.update()
    text.value = "later"
    try page.update()
    #expect(field.value == "later")
  }

  @Test func `names on a page are known until the next one, also when rows are renamed`() throws {
    let (names, count) = (Signal(["a", "b"]), Signal(0))
    let page = try ScriptedPage(
      session {
        ForEachBinding(names.binding, id: \.self) { $name in TextField("N", text: $name) }
        Button("Add") { count.value += 1 }
      })
    for text in ["x", "y", "z"] {
      page.enter(text, into: try page.control("N"))
      let button = try #require(
        page.form.all.first { $0.tag == "button" && $0.text == "Add" }?.attributes["value"])
      try page.send(page.message(("do", button)))
      #expect(names.value.first == text)
      names.value.append(text)
      try page.update()
    }
    #expect(count.value == 3)
  }

  @Test func `elements with ever new ids leave no names behind`() throws {
    let number = Signal(0)
    let session = session { Button("Next", id: "button \(number.value)") { number.value += 1 } }
    let page = try ScriptedPage(session)
    for number in 0..<5000 {
      try session.host.perform("button \(number)")
      _ = page.page.nextPatch()
    }
    #expect(number.value == 5000 && session.kept.targets.count < 2000)
  }

  @Test func `the title is the screen's, not that of a row`() throws {
    let rows = Signal(["row"])
    let page = try ScriptedPage(
      session {
        ForEach(rows.value, id: \.self) { Text($0).style(.title) }
        Column { Text("Screen") }.style(.title)
      })
    #expect(page.title == "Screen – T")
    rows.value = ["other"]
    try page.update()
    #expect(page.title == "Screen – T")
  }

  @Test func `a message is used once`() throws {
    var count = 0
    let page = try ScriptedPage(session { Button("Count") { count += 1 } })
    let message = page.message(("do", try page.button("Count")))
    for _ in 0..<3 { try page.send(message) }
    #expect(count == 1)
    try page.send(page.message(("do", try page.button("Count"))))
    #expect(count == 2)
  }

  @Test func `what isn't a message of the page is refused, and nothing is done`() throws {
    let text = Signal("")
    let session = session { TextField("T", text: text.binding) }
    let page = try ScriptedPage(session)
    let other = try ScriptedPage(session)
    let field = try page.control("T")
    page.enter("x", into: field)
    let message = page.message()
    let name = page.page.name
    for wrong in ["", "%", message.replacing("n=1", with: "n=x"), message + "&do=fly.a"] {
      #expect(throws: HTMLFormError.self) { try page.send(wrong) }
    }
    let foreign = message.replacing("token=", with: "token=1")
    #expect(throws: HTMLFormError.foreign) { try page.send(foreign) }
    #expect(throws: HTMLFormError.foreign) { try other.send(message) }
    #expect(text.value == "")
    #expect(session.livePage(name + "1") == nil)
    try page.send(message)
    #expect(text.value == "x")
  }

  @Test func `a lost patch is made up for, with what was typed`() throws {
    let text = Signal("one")
    let page = try ScriptedPage(
      session {
        Text(text.value)
        TextField("T", text: .constant(""))
      })
    page.enter("typed", into: try page.control("T"))
    text.value = "two"
    _ = page.page.nextPatch()
    text.value = "three"
    page.page.resume(after: 0)
    try page.update()
    #expect(page.form.all.contains { $0.text == "three" })
    #expect(try page.control("T").value == "typed")
    // A connection that was lost without a patch goes on where it was.
    text.value = "four"
    page.page.resume(after: page.last)
    #expect(try #require(try page.update()) < 40)
  }

  @Test func `a password stays in the browser until the app clears it`() throws {
    let password = Signal("")
    let page = try ScriptedPage(session { SecureField("P", text: password.binding) })
    let field = try page.control("P")
    page.enter("secret", into: field)
    let message = page.message()
    try page.send(message)
    let patch = try #require(page.page.nextPatch())
    #expect(!String(decoding: patch, as: UTF8.self).contains("secret"))
    try page.use(patch)
    #expect(field.value == "secret" && password.value == "secret")
    password.value = ""
    try page.update()
    #expect(field.value == "")
  }

  @Test func `a field that is refused keeps none of the others from being entered`() throws {
    let (store, notes) = (Store(), [Page(), Page(), Page()])
    try store.add(notes)
    let rule = store.beforeCommit { _ in
      if notes[0].text == "no" { throw Failed(description: "no") }
    }
    let session = HTMLSession(store, title: "T", live: "/live") {
      ForEach(0..<3, id: \.self) { row in
        TextField(
          "F\(row)", text: Binding(get: { notes[row].text }, set: { notes[row].text = $0 }))
      }
    }
    let page = try ScriptedPage(session)
    for row in 0..<3 { page.enter("no", into: try page.control("F\(row)")) }
    try page.send(page.message())
    try page.update()
    #expect(notes.map(\.text) == ["", "no", "no"] && session.message == "no")
    #expect(try (0..<3).map { try page.control("F\($0)").value } == ["", "no", "no"])
    rule.cancel()
  }

  @Test func `a field that gets several lines keeps the text that is being typed`() throws {
    let text = Signal("a")
    let page = try ScriptedPage(session { TextField("F", text: text.binding) })
    #expect(try page.control("F").tag == "input")
    page.enter("typed", into: try page.control("F"))
    text.value = "one\ntwo"
    try page.update()
    let field = try page.control("F")
    #expect(field.tag == "textarea" && field.value == "typed")
    try page.send(page.message())
    try page.update()
    #expect(text.value == "typed" && field.value == "typed")
    text.value = "one\ntwo"
    try page.update()
    page.enter("x\ny", into: try page.control("F"))
    text.value = "a"
    try page.update()
    let last = try page.control("F")
    #expect(last.tag == "input" && last.value == "x y")
  }

  @Test func `only the newest pages of a session are kept up to date`() throws {
    let session = session { Text("a") }
    let pages = try (0..<9).map { _ in try ScriptedPage(session).page.name }
    #expect(session.livePage(pages[0]) == nil && session.livePage(pages[1]) != nil)
  }

  @Test func `a page whose session was released has no patches, and takes no messages`() throws {
    var session: HTMLSession? = session { Text("a") }
    let name = try ScriptedPage(try #require(session)).page.name
    let page = try #require(session?.livePage(name))
    session = nil
    #expect(page.nextPatch() == nil)
    page.resume(after: 3)
    #expect(throws: HTMLFormError.foreign) { try page.receive(Array("page=\(name)&n=1".utf8)) }
  }

  private struct Failed: Error, CustomStringConvertible { let description: String }

  @Test func `the error of a button that no handler takes is on the page until the next press`()
    throws
  {
    let page = try ScriptedPage(
      session {
        TextField("F", text: .constant(""))
        Button("Fail") { throw Failed(description: "It failed.") }
        Button("Work") {}
        ForEach(0..<500, id: \.self) { Text("row \($0)") }
      })
    func shows() throws -> Bool {
      try page.update()
      return page.form.all.contains { $0.text == "It failed." }
    }
    try page.send(page.message(("do", try page.button("Fail"))))
    #expect(try shows())
    let field = try page.control("F")
    try page.send(page.message(("focus", field.attributes["id"] ?? "")))
    #expect(try shows())
    // A script asks for rows as they come into view.
    let list = try #require(page.form.all.compactMap { $0.attributes["data-list"] }.first)
    try page.send(page.message(("do", "rows.\(list).200")))
    #expect(try shows() && page.form.all.contains { $0.text == "row 200" })
    page.enter("typed", into: field)
    try page.send(page.message())
    #expect(try shows())
    try page.send(page.message(("do", try page.button("Work"))))
    #expect(try shows() == false)
  }

  @Test func `the error of an entry is on the page until the next one`() throws {
    let (store, note) = (Store(), Page())
    try store.add(note)
    let rule = store.beforeCommit { _ in
      if note.text.count > 3 { throw Failed(description: "\(note.text.count) are too many.") }
    }
    let session = HTMLSession(store, title: "T", live: "/live") {
      TextField("F", text: Binding(get: { note.text }, set: { note.text = $0 }))
      Button("Fail") { throw Failed(description: "It failed.") }
      Button("Work") {}
    }
    let page = try ScriptedPage(session)
    let field = try page.control("F")
    var seen: [String?] = []
    for text in ["four", "fives", "two"] {
      page.enter(text, into: field)
      try page.send(page.message())
      try page.send(page.message(("focus", field.attributes["id"] ?? "")))
      try page.update()
      seen.append(page.form.all.first { $0.text.hasSuffix("many.") }?.text)
    }
    #expect(seen == ["4 are too many.", "5 are too many.", nil])
    // With a press in the same message, and over the error of a button.
    for name in ["Fail", "Work"] {
      try page.send(page.message(("do", try page.button("Fail"))))
      page.enter("fives", into: field)
      try page.send(page.message(("do", try page.button(name))))
      #expect(session.message == "5 are too many.")
      page.enter("two", into: field)
      try page.send(page.message())
      #expect(session.message == nil)
    }
    rule.cancel()
  }

  @Test func `onChange is called for each change that a page shows`() throws {
    let text = Signal("one")
    let session = session { Text(text.value) }
    let page = try ScriptedPage(session)
    var calls = 0
    page.page.onChange = { calls += 1 }
    text.value = "two"
    #expect(calls == 1)
    text.value = "two"
    #expect(calls == 1)
  }

  @Test func `a session without a path for the script has pages without one`() throws {
    let plain = HTMLSession(Store(), title: "T") { Text("a") }
    let page = String(decoding: plain.page(), as: UTF8.self)
    #expect(!page.contains("script") && !page.contains("data-"))
    #expect(!HTMLScript.text.contains("eval") && !HTMLScript.text.contains("//"))
  }
}
