import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsHTML

/// Pages that a script keeps up to date, against new pages, under random commits, input and losses.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct `Live pages, random histories` {
  @Test(arguments: seeds(4))
  func `a page that is kept up to date is what a new one would be`(seed: UInt64) {
    LiveHistory.run(seed: seed, steps: runLength(usually: 6000) / 4)
  }
}

/// A screen with all kinds of elements, whose data change at random, on two pages.
private final class LiveHistory: RandomHistory {
  let seed: UInt64
  var failures: [String] = []
  private var random: SeededRandom
  private let world = LiveWorld()
  private let session: HTMLSession
  private var pages: [ScriptedPage] = []
  private var sent: [(ScriptedPage, String)] = []

  init(seed: UInt64) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    // More than a visitor does in a second.
    // With some seeds, a page has a part of the rows.
    let limits = HTMLLimits(
      messagesPerSecond: 1_000_000_000, burst: 1_000_000, rows: seed % 2 == 0 ? 10 : 100)
    session = HTMLSession(Store(), title: "World", path: "/w", live: "/live", limits: limits) {
      [world] in LiveScreen(world: world)
    }
    do { pages = try [ScriptedPage(session), ScriptedPage(session)] } catch {
      failures.append("\(error)")
    }
  }

  func step() {
    do {
      for _ in 0..<Int.random(in: 0..<3, using: &random) { world.change(&random) }
      let page = pages.randomElement(using: &random)!
      try act(on: page)
      try update(page)
    } catch { failures.append("\(error)") }
  }

  private func act(on page: ScriptedPage) throws {
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2:
      guard let control = page.controls.randomElement(using: &random) else { return }
      page.enter(input(for: control), into: control)
      if Bool.random(using: &random) { try send(page.message(), from: page) }
    case 3, 4:
      guard let action = page.actions.randomElement(using: &random) else { return }
      try send(page.message(("do", action)), from: page)
    case 5:
      // A message whose answer was lost is sent again.
      if let (page, message) = sent.randomElement(using: &random) { try page.send(message) }
    case 6:
      try send(
        page.message(("open", ["/w/a", "/w/b", "/w"].randomElement(using: &random)!)), from: page)
    default: break
    }
  }

  private func send(_ message: String, from page: ScriptedPage) throws {
    try page.send(message)
    sent = Array((sent + [(page, message)]).suffix(5))
  }

  private func input(for control: ScriptedElement) -> String {
    let options = control.all.filter { $0.tag == "option" || $0.attributes["type"] == "radio" }
    return options.compactMap { $0.attributes["value"] }.randomElement(using: &random)
      ?? ["", "a", "ab", "x\ny", "é\"<&"].randomElement(using: &random)!
  }

  private func update(_ page: ScriptedPage) throws {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: return
    case 2:
      // The connection is lost, with the patch.
      _ = page.page.nextPatch()
      page.page.resume(after: page.last)
      try page.update()
    case 3:
      page.page.resume(after: page.last)
      try page.update()
    default: try page.update()
    }
    // Rows that appear may have changed the screen.
    while try page.update() != nil {}
    let (found, expected) = (page.description, try page.expected(session))
    if found != expected { failures.append("the page is\n\(found)\nand not\n\(expected)") }
    let title = session.host.frame.title.map { "\($0) – World" } ?? "World"
    if page.title != title { failures.append("the title is \(page.title), and not \(title)") }
  }
}

private final class LiveWorld {
  let title = Signal("title")
  let flags = (0..<11).map { _ in Signal(false) }
  let texts = (0..<4).map { Signal("text \($0)") }
  let rows = Signal(Array(0..<12))
  let rowTexts = (0..<24).map { Signal("row \($0)") }
  let options = Signal(["a", "b", "c"])
  let choice = Signal("a")
  let part = Signal(0.25)
  let names = Signal(["p", "q", "r"])

  func change(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<10, using: &random) {
    case 9:
      names.value = ["p", "q", "r", "p", "s"].shuffled(using: &random).prefix(3).map { $0 }
    case 0: title.value = "title \(Int.random(in: 0..<9, using: &random))"
    case 1, 2: flags.randomElement(using: &random)!.value.toggle()
    case 3:
      let texts = ["", "a", "one", "one\ntwo", "<&\">"]
      self.texts.randomElement(using: &random)!.value = texts.randomElement(using: &random)!
    case 4: rowTexts.randomElement(using: &random)!.value += "."
    case 5:
      options.value = ["a", "b", "c", "d"].shuffled(using: &random).prefix(3).map { $0 }
    case 6: choice.value = options.value.randomElement(using: &random)!
    case 7: part.value = Double.random(in: 0...1, using: &random)
    default: changeRows(&random)
    }
  }

  private func changeRows(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: rows.value.shuffle(using: &random)
    case 1 where !rows.value.isEmpty:
      rows.value.remove(at: Int.random(in: rows.value.indices, using: &random))
    case 2:
      let absent = (0..<24).filter { !rows.value.contains($0) }
      if let new = absent.randomElement(using: &random) {
        rows.value.insert(new, at: Int.random(in: 0...rows.value.count, using: &random))
      }
    default:
      if !rows.value.isEmpty { rows.value.append(rows.value.removeFirst()) }
    }
  }
}

/// A row with views in it, whose number decides what they are.
private struct LiveRow: View {
  let world: LiveWorld
  let row: Int

  var body: Element {
    if row % 2 == 0 { Section("\(row)") { LivePart(world: world, row: row) } }
    LivePart(world: world, row: row)
    if row % 4 == 1 { LiveDialog(world: world, row: row) }
    if world.flags[4].value {
      Text("more").style(.title)
      ForEach(0..<row % 3, id: \.self) { Text("\(row), \($0)") }
    }
  }
}

private struct LivePart: View {
  let world: LiveWorld
  let row: Int
  @State private var count = 0

  var body: Element {
    Button("count \(count)") { count += 1 }
    if world.flags[5].value { TextField("part", text: world.rowTexts[row].binding) }
  }
}

/// Content that covers the rest, in a row, and some that covers that.
private struct LiveDialog: View {
  let world: LiveWorld
  let row: Int
  @State private var isShown: Bool

  init(world: LiveWorld, row: Int) {
    (self.world, self.row) = (world, row)
    // Some rows begin with it.
    _isShown = State(wrappedValue: row == 13)
  }

  var body: Element {
    Text(world.rowTexts[row].value)
    Button("ask", id: "ask \(row)") { isShown = true }
      .covered(when: isShown) {
        TextField("answer", text: world.rowTexts[row].binding)
        LivePart(world: world, row: row)
        LiveConfirmation(world: world, row: row)
        Button("Done") { isShown = false }
      }
  }
}

private struct LiveConfirmation: View {
  let world: LiveWorld
  let row: Int
  @State private var isShown = false

  var body: Element {
    Button("sure") { isShown = true }
      .covered(when: isShown) {
        LivePart(world: world, row: row)
        Button("Yes") { isShown = false }
      }
  }
}

/// A row with a look, which may be something else, or several.
private struct LiveStyledRow: View {
  let world: LiveWorld
  let row: Int

  var body: Element {
    if world.flags[7].value {
      Text(world.rowTexts[row].value)
    } else {
      TableRow { LivePart(world: world, row: row) }
    }
    if world.flags[8].value { TableRow { Text("\(row), again") } }
  }
}

private struct LiveTableRow: View {
  let world: LiveWorld
  let row: Int

  var body: Element {
    TableRow {
      Text("\(row)")
      LivePart(world: world, row: row)
      Text(world.rowTexts[row].value).aligned(row % 2 == 0 ? .center : .leading)
    }
    if world.flags[6].value, row % 3 > 0 {
      ForEach(0..<row % 3, id: \.self) { part in TableRow { Text("\(row).\(part)") } }
    }
  }
}

private struct LiveTitle: View {
  let world: LiveWorld

  var body: Element { if world.flags[4].value { Text(world.title.value) } }
}

private struct LiveScreen: View {
  let world: LiveWorld
  @Navigation private var address

  var body: Element {
    // The title is in this view, in another one, or in a row's sibling further down.
    if world.flags[0].value {
      Text(world.title.value).style(.title)
    } else if world.flags[1].value {
      Column { LiveTitle(world: world) }.style(.title)
    }
    Hyperlink("a", opening: "/a")
    Text(address.description).style(.status)
    if world.flags[0].value {
      Section("Section") { TextField("Field", text: world.texts[0].binding, id: "field") {} }
    }
    // Refuses what is longer than a letter.
    TextField(
      "Short",
      text: Binding(
        get: { world.texts[1].value }, set: { world.texts[1].value = String($0.prefix(1)) }))
    TextEditor("Editor", text: world.texts[2].binding)
    SecureField("Password", text: world.texts[3].binding)
    Toggle("Toggle", isOn: world.flags[1].binding)
    Picker("Picker", selection: world.choice.binding, options: world.options.value)
    RadioGroup("Radios", selection: world.choice.binding, options: world.options.value)
    ProgressBar("Progress", value: world.part.value)
    if world.flags[2].value { ErrorText(["wrong"]) }
    rows
    Text("end").covered(when: world.flags[3].value) {
      Button("Close") { world.flags[3].value = false }
      TextField("Cover", text: world.texts[0].binding, id: "cover")
    }
  }

  @ElementBuilder private var rows: Element {
    ForEach(world.rows.value, id: \.self) { row in
      Row {
        Text(world.rowTexts[row].value)
        TextField("row", text: world.rowTexts[row].binding, id: "row \(row)")
        Button("remove \(row)") { world.rows.value.removeAll { $0 == row } }
      }
    }
    ListBox(
      id: "list",
      onMove: { places, offset in
        let moved = places.map { world.rows.value[$0] }
        let before = world.rows.value.prefix(offset).filter { !moved.contains($0) }
        let after = world.rows.value.dropFirst(offset).filter { !moved.contains($0) }
        world.rows.value = before + moved + after
      }
    ) { ForEach(world.rows.value, id: \.self) { LiveRow(world: world, row: $0) } }
    Table([TableColumn("number"), TableColumn("part"), TableColumn("text")]) {
      ForEach(world.rows.value, id: \.self) { row in
        if row % 3 == 0 {
          LiveStyledRow(world: world, row: row).style(.secondary)
        } else {
          LiveTableRow(world: world, row: row)
        }
      }
      if world.flags[9].value {
        TableRow { ForEach(0..<2, id: \.self) { Text("no title \($0)").style(.title) } }
        TableRow(id: "total") {
          Text("total \(world.title.value)")
        } onTap: {
        }.style(.title)
      } else if world.flags[10].value {
        TableRow { Text("sum \(world.title.value)") }.style(.title)
      }
    }
    ForEachBinding(world.names.binding, id: \.self) { $name in
      TextField("name", text: $name)
      LivePart(world: world, row: 0)
    }
  }
}
