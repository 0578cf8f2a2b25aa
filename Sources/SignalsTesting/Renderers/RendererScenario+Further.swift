// What apps need beyond the basic scenarios.

import Signals

extension RendererScenario {
  /// The scenarios beyond ``basic``: focus, covers, work under way, large data, addresses.
  public static let further = [
    RendererScenario("A pasted text keeps its lines in an editor") {
      Editors()
    } script: {
      try await $0.sees(.field("Notes", showing: "one\ntwo"), .text("2 lines"))
      try await $0.does(.paste("three\nfour\nfive", into: "Notes"))
      try await $0.sees(.field("Notes", showing: "three\nfour\nfive"), .text("3 lines"))
    },
    RendererScenario("A password isn't shown") {
      Editors()
    } script: {
      try await $0.does(.type("hunter2", into: "Password"))
      try await $0.sees(.text("7 characters"))
      try await $0.does(.press("Sign in"))
      try await $0.sees(.text("welcome"))
      try await $0.expect { shown in
        shown.first { "\($0)".contains("hunter2") }.map { "the screen shows \($0)" }
      }
    },
    RendererScenario("A key runs the innermost intent that it is bound to") {
      Keys()
    } script: {
      try await $0.does(.key("f2"))
      try await $0.sees(.text("outer 1"), .text("inner 0"))
      try await $0.does(.press("Bind"))
      try await $0.does(.key("f2"))
      try await $0.sees(.text("outer 1"), .text("inner 1"))
    },
    RendererScenario("A title of a table sorts its rows") {
      Sorted()
    } script: {
      try await $0.sees(.text("Ada"), .text("Bob"), .text("Cy"))
      try await $0.does(.press("Name"))
      try await $0.sees(.text("Cy"), .text("Bob"), .text("Ada"))
    },
    RendererScenario("A row that moves keeps the focus") {
      Rows()
    } script: {
      try await $0.does(.press("Down a"))
      try await $0.sees(.button("Down b"), .button("Down a", in: .focused), .button("Down c"))
      try await $0.does(.press("Down a"))
      try await $0.sees(.button("Down b"), .button("Down c"), .button("Down a", in: .focused))
    },
    RendererScenario("When the row with the focus is removed, the others can be used") {
      Rows()
    } script: {
      try await $0.does(.press("Delete b"))
      try await $0.seesNo("Delete b")
      try await $0.sees(.button("Delete a"), .button("Delete c"))
      try await $0.does(.press("Delete c"))
      try await $0.seesNo("Delete c")
      try await $0.does(.press("Delete a"))
      try await $0.sees(.text("no rows"))
    },
    RendererScenario("The user moves rows of a list") {
      Movable()
    } script: {
      try await $0.sees(.button("a"), .button("b"), .button("c"))
      try await $0.does(.moveDown("a"))
      try await $0.sees(.button("b"), .button("a"), .button("c"), .text("b a c"))
      try await $0.does(.moveDown("a"))
      try await $0.sees(.button("b"), .button("c"), .button("a"), .text("b c a"))
    },
    RendererScenario("The last of 10,000 rows is reached and used") {
      Long()
    } script: {
      try await $0.sees(.button("row 0"), .button("row 1"))
      try await $0.does(.goToLastRow)
      try await $0.sees(.button("row 9998"), .button("row 9999"))
      try await $0.does(.press("row 9999"))
      try await $0.sees(.text("last: row 9999"))
    },
    RendererScenario("A dialog takes all input until it is closed") {
      Renaming()
    } script: {
      try await $0.does(.press("Rename"))
      try await $0.sees(.text("New name"), .field("Name", showing: "Ada"), .button("Done"))
      try await $0.seesNo("Rename", "Ada's list", "pressed 0")
      try await $0.does(.key("f2"))
      try await $0.does(.type("Emma", into: "Name"))
      try await $0.does(.press("Done"))
      try await $0.seesNo("New name", "Done")
      try await $0.sees(.text("Emma's list"), .button("Rename"), .text("pressed 0"))
      try await $0.does(.key("f2"))
      try await $0.sees(.text("pressed 1"))
    },
    RendererScenario("When a dialog closes, the focus is where it was") {
      Renaming()
    } script: {
      try await $0.does(.press("Rename"))
      try await $0.sees(.button("Done"))
      try await $0.does(.press("Done"))
      try await $0.sees(.button("Other"), .button("Rename", in: .focused))
    },
    RendererScenario("Escape closes a dialog") {
      Renaming()
    } script: {
      try await $0.does(.press("Rename"))
      try await $0.sees(.button("Done"))
      try await $0.does(.key("escape"))
      try await $0.seesNo("New name", "Done")
      try await $0.sees(.text("Ada's list"), .button("Rename"))
    },
    RendererScenario("An element is busy while its async intent runs") {
      Saving()
    } script: {
      try await $0.sees(.button("Save"), .text("unsaved"))
      try await $0.does(.press("Save"))
      try await $0.sees(.button("Save", in: .busy), .text("unsaved"))
      try await $0.does(.press("Finish"))
      try await $0.sees(.button("Save"), .text("saved"))
    },
    RendererScenario("Elements with the same id are used each by itself") {
      Twins()
    } script: {
      try await $0.does(.toggle("desk"))
      try await $0.sees(.toggle("hall", isOn: false), .toggle("desk", isOn: true), .text("desk"))
      try await $0.does(.toggle("hall"))
      try await $0.does(.toggle("desk"))
      try await $0.sees(.toggle("hall", isOn: true), .toggle("desk", isOn: false), .text("hall"))
    },
    RendererScenario("A link opens a screen, and the way back leads to the one before") {
      Places()
    } script: {
      try await $0.sees(.text("All packages"), .link("swift-log"))
      try await $0.does(.press("swift-log"))
      try await $0.sees(.text("The package swift-log"))
      try await $0.seesNo("All packages")
      try await $0.does(.goBack)
      try await $0.sees(.text("All packages"), .link("swift-log"))
    },
    RendererScenario("A text of 1,000,000 characters is shown, and changes") {
      Large()
    } script: {
      try await $0.sees(.text("1000000 characters"), .button("Add"))
      try await $0.does(.press("Add"))
      try await $0.sees(.text("1000001 characters"), .button("Add"))
      // A renderer may show a part of it, and a sign that there is more.
      try await $0.expect { shown in
        let text = shown.first { $0.role == .field && $0.name == "Text" }?.value ?? ""
        let isShown =
          text.hasPrefix("aaa") && text.utf8.dropLast(4).allSatisfy { $0 == UInt8(ascii: "a") }
        return isShown ? nil : "the field doesn't show its text"
      }
    },
  ]

  /// Creates a scenario beyond the basic ones.
  private init(
    _ name: String, @ElementBuilder root: @escaping @Sendable () -> Element,
    script: @escaping @Sendable (ScenarioUser) async throws -> Void
  ) {
    self.init(name: name, isBasic: false, root: root, script: script)
  }
}

// MARK: - The screens

private struct Editors: View {
  @State private var notes = "one\ntwo"
  @State private var password = ""
  @State private var message = ""

  var body: Element {
    TextEditor("Notes", text: $notes)
    Text("\(notes.split(separator: "\n").count) lines")
    SecureField("Password", text: $password)
    Text("\(password.count) characters")
    Button("Sign in") { message = password == "hunter2" ? "welcome" : "wrong" }
    Text(message)
  }
}

private struct Keys: View {
  @State private var outer = 0
  @State private var inner = 0
  @State private var isBound = false

  var body: Element {
    Column {
      Text("outer \(outer)")
      Text("inner \(inner)")
      Button("Bind") { isBound = true }
      if isBound { Text("bound").onKey("f2") { inner += 1 } }
    }
    .onKey("f2") { outer += 1 }
  }
}

private struct Sorted: View {
  @State private var order = SortDirection.ascending

  var body: Element {
    Table([
      TableColumn("Name", order: order) { order = order == .ascending ? .descending : .ascending },
      TableColumn("Age"),
    ]) {
      let names = ["Ada", "Bob", "Cy"]
      ForEach(order == .ascending ? names : names.reversed(), id: \.self) { name in
        TableRow {
          Text(name)
          Text("\(name.count)")
        }
      }
    }
  }
}

private struct Rows: View {
  @State private var rows = ["a", "b", "c"]

  var body: Element {
    ForEach(rows, id: \.self) { row in
      Row {
        Button("Down \(row)") {
          guard let index = rows.firstIndex(of: row), index + 1 < rows.count else { return }
          rows.swapAt(index, index + 1)
        }
        Button("Delete \(row)") { rows.removeAll { $0 == row } }
      }
    }
    if rows.isEmpty { Text("no rows") }
  }
}

private struct Movable: View {
  @State private var rows = ["a", "b", "c"]

  var body: Element {
    ListBox(
      id: "list",
      onMove: { offsets, destination in
        guard let from = offsets.first else { return }
        var new = rows
        let row = new.remove(at: from)
        new.insert(row, at: destination > from ? destination - 1 : destination)
        rows = new
      }
    ) {
      ForEach(rows, id: \.self) { row in Button(row) {} }
    }
    Text(rows.joined(separator: " "))
  }
}

private struct Long: View {
  @State private var last = "none"

  var body: Element {
    Text("last: \(last)")
    ListBox {
      ForEach(0..<10_000, id: \.self) { row in Button("row \(row)") { last = "row \(row)" } }
    }
  }
}

private struct Renaming: View {
  @State private var name = "Ada"
  @State private var isRenaming = false
  @State private var pressed = 0

  var body: Element {
    Column {
      Text("\(name)'s list")
      Button("Other") {}
      Button("Rename") { isRenaming = true }
      Text("pressed \(pressed)")
    }
    .onKey("f2") { pressed += 1 }
    .dialog("New name", isPresented: $isRenaming) {
      TextField("Name", text: $name)
      Button("Done") { isRenaming = false }
    }
  }
}

/// What an async intent waits for; it may be opened before or after.
private final class Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  nonisolated(nonsending) func wait() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }

  func open() {
    isOpen = true
    let all = waiting
    waiting = []
    all.forEach { $0.resume() }
  }
}

private struct Saving: View {
  @StateObject private var gate = Gate()
  @State private var isSaved = false

  var body: Element {
    Button("Save") {
      await gate.wait()
      isSaved = true
    }
    Button("Finish") { gate.open() }
    Text(isSaved ? "saved" : "unsaved")
  }
}

private struct Twins: View {
  @State private var lit: Set<String> = []

  var body: Element {
    ForEach(["hall", "desk"], id: \.self) { lamp in
      Toggle(
        lamp,
        isOn: Binding(
          get: { lit.contains(lamp) },
          set: { isOn in if isOn { lit.insert(lamp) } else { lit.remove(lamp) } }),
        id: "on")
    }
    Text(lit.sorted().joined(separator: " "))
  }
}

private struct Places: View {
  @Navigation private var address

  var body: Element {
    if let name = address.part(after: "packages") {
      Text("The package \(name)").style(.title)
    } else {
      Text("All packages").style(.title)
      Hyperlink("swift-log", opening: "/packages/swift-log")
    }
  }
}

private struct Large: View {
  @State private var text = String(repeating: "a", count: 1_000_000)

  var body: Element {
    Text("\(text.utf8.count) characters")
    Button("Add") { text += "b" }
    TextField("Text", text: $text)
  }
}
