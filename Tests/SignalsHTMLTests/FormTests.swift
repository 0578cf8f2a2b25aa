import Signals
import SignalsHTML
import Testing

/// Forms of pages: what is sent, and what it does.
@Suite struct `Forms of pages` {
  private func browser(
    _ store: Store = Store(), @ElementBuilder _ root: @escaping () -> Element
  ) throws -> TestBrowser {
    try TestBrowser(HTMLSession(store, title: "Test", root: root))
  }

  @Test func `a button sends what was typed, and then runs its intent`() throws {
    let name = Signal(""), greeting = Signal("")
    let browser = try browser {
      TextField("Name", text: name.binding)
      Button("Greet") { greeting.value = "Hello, \(name.value)" }
      Text(greeting.value)
    }
    try browser.type("Ada", into: "Name")
    try browser.press("Greet")
    #expect(try browser.texts("//main/p") == ["Hello, Ada"])
  }

  @Test func `fields that weren't edited overwrite nothing`() throws {
    let first = Signal("a"), second = Signal("b"), choice = Signal("x")
    let browser = try browser {
      TextField("First", text: first.binding)
      TextField("Second", text: second.binding)
      Picker("Choice", selection: choice.binding, options: ["x", "y", "z"])
    }
    // The page is old when its form is sent.
    first.value = "foreign"
    choice.value = "z"
    try browser.type("mine", into: "Second")
    try browser.press("Apply")
    #expect([first.value, second.value, choice.value] == ["foreign", "mine", "z"])
  }

  @Test func `return submits the field that was edited, if there is no other`() throws {
    let log = Signal<[String]>([])
    let first = Signal(""), second = Signal("")
    let browser = try browser {
      TextField("First", text: first.binding) { log.value.append("first \(first.value)") }
      TextField("Second", text: second.binding) { log.value.append("second") }
    }
    try browser.type("a", into: "First")
    try browser.pressReturn()
    #expect(log.value == ["first a"])
    try browser.pressReturn()
    #expect(log.value == ["first a"])
    try browser.type("b", into: "First")
    try browser.type("c", into: "Second")
    try browser.pressReturn()
    #expect(log.value == ["first a"] && first.value == "b" && second.value == "c")
    try browser.press("Submit Second")
    #expect(log.value == ["first a", "second"])
  }

  @Test func `return in the only field submits it as it is`() throws {
    let count = Signal(0)
    let browser = try browser { TextField("Name", text: .constant("x")) { count.value += 1 } }
    try browser.pressReturn()
    #expect(count.value == 1)
  }

  @Test func `a switch that was shown off turns on, however it is now`() throws {
    let isOn = Signal(false)
    let browser = try browser { Toggle("On", isOn: isOn.binding) }
    let action = try #require(try browser.only("//button[@role='switch']")["value"])
    isOn.value = true
    try browser.send(action)
    #expect(isOn.value)
    try browser.load()
    try browser.press("On")
    #expect(!isOn.value)
  }

  @Test func `options with one title are told apart`() throws {
    let store = Store()
    let list = try store.addChores(["wash", "cook"])
    for chore in list.chores { chore.title = "same" }
    let chosen = Signal(list.chores[0])
    let browser = try browser(store) {
      Picker("Chore", selection: chosen.binding, options: Array(list.chores), title: \.title)
    }
    try browser.choose(1, in: "Chore")
    try browser.press("Choose Chore")
    #expect(chosen.value === list.chores[1])
  }

  @Test func `rows are moved by one place, whichever place they have now`() throws {
    let store = Store()
    let list = try store.addChores(["a", "b", "c"])
    let browser = try browser(store) {
      ListBox(id: "list", onMove: { list.chores.move(fromOffsets: $0, toOffset: $1) }) {
        ForEach(list.chores) { Text($0.title) }
      }
    }
    try browser.press("Move down")
    #expect(list.chores.map(\.title) == ["b", "a", "c"])
    try browser.press("Move up", number: 2)
    #expect(list.chores.map(\.title) == ["b", "c", "a"])
    // The page shows b, c, a; someone puts a row before them.
    let action = try #require(
      try browser.all("//button[@aria-label='Move up']").last?["value"])
    list.chores.move(fromOffsets: [2], toOffset: 0)
    try browser.send(action)
    #expect(list.chores.map(\.title) == ["a", "b", "c"])
  }

  @Test func `an error that no view handles is on the next page, and on that only`() throws {
    struct Full: Error, CustomStringConvertible { var description: String { "the list is full" } }
    let browser = try browser {
      Button("Add") { throw Full() }
      Button("Other") {}
    }
    try browser.press("Add")
    #expect(try browser.only("//p[@role='alert']").text == "the list is full")
    try browser.load()
    #expect(try browser.all("//p[@role='alert']").count == 1)
    try browser.press("Other")
    #expect(try browser.all("//p[@role='alert']").isEmpty)
  }

  @Test func `an error of a view's own is shown where the view shows it`() throws {
    struct Full: Error {}
    let problem = Signal("")
    let browser = try browser {
      Column { Button("Add") { throw Full() } }.onError { _ in problem.value = "full" }
      Text(problem.value)
    }
    try browser.press("Add")
    #expect(try browser.texts("//main/p") == ["full"])
    #expect(try browser.all("//p[@role='alert']").isEmpty)
  }

  @Test func `what has left the screen isn't used, and neither is the rest of the form`() throws {
    let isShown = Signal(true), log = Signal<[String]>([])
    let browser = try browser {
      if isShown.value {
        TextField("Name", text: Binding(get: { "" }, set: { log.value.append($0) }))
      }
      Button("Save") { log.value.append("saved") }
    }
    try browser.type("x", into: "Name")
    isShown.value = false
    try browser.press("Save")
    #expect(log.value.isEmpty)
    #expect(try browser.all("//p[@role='alert']").count == 1)
  }

  @Test func `disabled, hidden and covered elements can't be used by a form made by hand`() throws {
    let isOff = Signal(false), count = Signal(0), text = Signal("")
    let browser = try browser {
      Button("Go") { count.value += 1 }.disabled(isOff.value)
      Field(text: text).hidden(isOff.value)
      Text("").covered(when: isOff.value) { Text("cover") }
    }
    let action = try #require(try browser.only("//button[.='Go']")["value"])
    try browser.type("typed", into: "Name")
    let body = try browser.body(action)
    isOff.value = true
    try browser.session.submit(Array(body.utf8))
    #expect(count.value == 0 && text.value == "")
  }

  private struct Field: View {
    let text: Signal<String>
    var body: Element { TextField("Name", text: text.binding) }
  }

  @Test func `a form of another session is refused`() throws {
    let count = Signal(0)
    func session() -> HTMLSession {
      HTMLSession(Store(), title: "Test") { Button("Go") { count.value += 1 } }
    }
    let (mine, other) = (try TestBrowser(session()), try TestBrowser(session()))
    let action = try #require(try mine.only("//button[.='Go']")["value"])
    let body = Array(try mine.body(action).utf8)
    #expect(throws: HTMLFormError.foreign) { try other.session.submit(body) }
    #expect(throws: HTMLFormError.foreign) { try mine.session.submit(Array("do=".utf8)) }
    #expect(count.value == 0)
    try mine.session.submit(body)
    #expect(count.value == 1)
  }

  @Test(arguments: ["a", "a=b=c", "a&b", "a=%", "a=%2", "a=%zz", "a=%FF", "=&", "%"])
  func `a body that is no form is refused`(body: String) throws {
    let session = HTMLSession(Store(), title: "Test") { Text("") }
    #expect(throws: HTMLFormError.malformed) { try session.submit(Array(body.utf8)) }
  }

  @Test func `a body of random bytes changes nothing`() throws {
    let count = Signal(0), text = Signal("")
    let browser = try browser {
      Button("Go") { count.value += 1 }
      TextField("Name", text: text.binding)
      Toggle("On", isOn: Binding(get: { false }, set: { _ in count.value += 1 }))
    }
    let whole = Array(try browser.body("").utf8)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var body = Array(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        body.insert(
          .random(in: 0...255, using: &random), at: .random(in: 0...body.count, using: &random))
      }
      try? browser.session.submit(body)
      #expect(count.value == 0)
    }
  }

  @Test func `each visitor has restored values of its own, and the graph is shared`() throws {
    let store = Store()
    let list = try store.addChores(["wash"])
    func session() throws -> TestBrowser {
      try TestBrowser(HTMLSession(store, title: "Test") { Restoring(list: list) })
    }
    let (mine, other) = (try session(), try session())
    try mine.press("Open")
    try other.load()
    #expect(mine.main == "open" && other.main == "Openwash")
    try other.press("wash")
    try other.load()
    #expect(other.main == "Opendone")
  }

  private struct Restoring: View {
    let list: ChoreList
    @Restored("place") private var isOpen = false
    var body: Element {
      if isOpen {
        Text("open")
      } else {
        Button("Open") { isOpen = true }
        ForEach(list.chores) { chore in
          Button(chore.title) { chore.title = "done" }
        }
      }
    }
  }

  @MainActor
  @Test func `a page of work under way says so, and shows the result when it is there`()
    async throws
  {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let result = Signal("")
    let session = HTMLSession(Store(), title: "Test") {
      Button("Load") {
        for await _ in gate { break }
        result.value = "loaded"
      }
      Text(result.value)
    }
    let browser = try TestBrowser(session)
    try browser.press("Load")
    #expect(try browser.only("//button[@aria-busy='true']").text == "Load…")
    #expect(try browser.only("//p[@role='status']").text == "Working… Show the result")
    #expect(try browser.only("//meta[@http-equiv='refresh']")["content"] == "2")
    open.yield()
    while !session.host.busyIntents.isEmpty { await Task.yield() }
    try browser.load()
    #expect(try browser.texts("//main/p") == ["loaded"])
    #expect(try browser.all("//p[@role='status']").isEmpty)
  }

  @Test func `a text editor keeps its lines`() throws {
    let text = Signal("one")
    let browser = try browser { TextEditor("Notes", text: text.binding) }
    #expect(try browser.only("//textarea").text == "\none")
    try browser.press("Apply")
    #expect(text.value == "one")
    // Browsers send \r\n.
    try browser.type("\r\n\r\na <b>\r\n", into: "Notes")
    try browser.press("Apply")
    #expect(text.value == "\n\na <b>\n")
    #expect(try browser.only("//textarea").text == "\n\n\na <b>\n")
    try browser.press("Apply")
    #expect(text.value == "\n\na <b>\n")
  }

  @Test func `a password is sent, and is on no page`() throws {
    let secret = Signal("hunter2"), log = Signal("")
    let browser = try browser {
      SecureField("Password", text: secret.binding) { log.value = secret.value }
      Button("Other") {}
    }
    #expect(try browser.only("//input[@type='password']")["value"] == "")
    try browser.press("Other")
    #expect(secret.value == "hunter2", "an empty field changes nothing")
    try browser.type("correct horse", into: "Password")
    try browser.pressReturn()
    #expect(log.value == "correct horse")
    #expect(!browser.page.contains("horse") && !browser.page.contains("hunter2"))
  }

  @Test func `one option of a radio group is sent`() throws {
    let size = Signal("m"), count = Signal(0)
    let browser = try browser {
      RadioGroup("Size", selection: size.binding, options: ["s", "m", "l"])
      Button("Other") { count.value += 1 }
    }
    #expect(try browser.texts("//fieldset/label[input/@checked]") == ["m"])
    size.value = "s"
    try browser.press("Other")
    #expect(size.value == "s" && count.value == 1, "what wasn't changed isn't sent")
    try browser.choose("l", of: "Size")
    try browser.press("Choose Size")
    #expect(size.value == "l")
  }

  @Test func `a confirmation is a modal dialog`() throws {
    let isShown = Signal(false), count = Signal(0)
    let browser = try browser {
      Button("Delete") { isShown.value = true }
        .confirmation("Delete \"all\"?", isPresented: isShown.binding, confirm: "Yes") {
          count.value += 1
        }
    }
    try browser.press("Delete")
    let dialog = try browser.only("//div[@role='dialog']")
    #expect(dialog["aria-modal"] == "true" && dialog["aria-label"] == "Delete \"all\"?")
    #expect(try browser.all("//button[.='Delete']").isEmpty)
    try browser.press("Yes")
    #expect(count.value == 1 && !isShown.value)
    #expect(try browser.only("//button[.='Delete']")["autofocus"] != nil)
  }
}
