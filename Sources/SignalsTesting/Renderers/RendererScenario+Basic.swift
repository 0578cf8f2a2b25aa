// What each renderer needs first.

import Signals

extension RendererScenario {
  /// The scenarios that a renderer needs first: texts, controls, states, and lists.
  public static let basic = [
    RendererScenario("A screen shows its elements in reading order") {
      Everything()
    } script: {
      try await $0.sees(
        .text("Library"), .text("Fields"), .field("Name", showing: "Ada"),
        .toggle("Lent", isOn: true),
        .choice("Size", chosen: "small"), .choice("Color", chosen: "red"),
        ShownElement(.progress, named: "Read", value: "50%"),
        .button("Save"), .button("Cancel"), .link("Site"), ShownElement(.image, named: "A cat"),
        .text("end"))
    },
    RendererScenario("Typing replaces the text of a field") {
      Fields()
    } script: {
      try await $0.sees(.field("Name", showing: "Ada"), .text("Hello, Ada!"))
      try await $0.does(.type("Émile 👩‍👩‍👧", into: "Name"))
      try await $0.sees(.field("Name", showing: "Émile 👩‍👩‍👧"), .text("Hello, Émile 👩‍👩‍👧!"))
      try await $0.seesNo("Hello, Ada!")
      try await $0.does(.type("", into: "Name"))
      try await $0.sees(.field("Name", showing: ""), .text("Hello, !"))
    },
    RendererScenario("A button runs its intent") {
      Counter()
    } script: {
      for count in 0..<3 {
        try await $0.sees(.text("count \(count)"))
        try await $0.does(.press("Add"))
        try await $0.seesNo("count \(count)")
      }
      try await $0.sees(.text("count 3"))
    },
    RendererScenario("A toggle turns a setting on and off") {
      Settings()
    } script: {
      try await $0.sees(.toggle("Lamp", isOn: false), .text("dark"))
      try await $0.does(.toggle("Lamp"))
      try await $0.sees(.toggle("Lamp", isOn: true), .text("bright"))
      try await $0.seesNo("dark")
      try await $0.does(.toggle("Lamp"))
      try await $0.sees(.toggle("Lamp", isOn: false), .text("dark"))
      try await $0.seesNo("bright")
    },
    RendererScenario("A picker and a radio group choose one of their options") {
      Settings()
    } script: {
      try await $0.sees(
        .choice("Size", chosen: "small"), .choice("Color", chosen: "red"), .text("small red"))
      try await $0.does(.choose("large", of: "Size"))
      try await $0.sees(.choice("Size", chosen: "large"), .text("large red"))
      try await $0.does(.choose("blue", of: "Color"))
      try await $0.sees(.choice("Color", chosen: "blue"), .text("large blue"))
    },
    RendererScenario("Return completes the text of a field") {
      Fields()
    } script: {
      try await $0.does(.type("milk", into: "New"))
      // The effect of another act shows that the first one has had its effects.
      try await $0.does(.type("Eve", into: "Name"))
      try await $0.sees(.text("Hello, Eve!"), .field("New", showing: "milk"))
      try await $0.seesNo("added milk")
      try await $0.does(.submit("New"))
      try await $0.sees(.field("New", showing: ""), .text("added milk"))
    },
    RendererScenario("A disabled element is shown as disabled, and does nothing") {
      Settings()
    } script: {
      try await $0.sees(.button("Explode", in: .disabled))
      try await $0.does(.press("Explode"))
      try await $0.does(.toggle("Lamp"))
      try await $0.sees(.text("bright"), .button("Explode", in: .disabled), .text("intact"))
    },
    RendererScenario("The errors of a value are shown with its field") {
      Fields()
    } script: {
      try await $0.sees(.field("Age", showing: "3"), .text("age 3"))
      try await $0.does(.type("old", into: "Age"))
      try await $0.sees(
        .field("Age", showing: "old", errors: ["“old” isn’t an age"]), .text("age 3"))
      try await $0.does(.type("4", into: "Age"))
      try await $0.sees(.field("Age", showing: "4"), .text("age 4"))
    },
    RendererScenario("A field shows what the model made of the text, or refused") {
      Fields()
    } script: {
      try await $0.does(.type("abcde", into: "Short"))
      try await $0.sees(.field("Short", showing: "ABC"), .text("short ABC"))
      try await $0.does(.type("x", into: "Short"))
      try await $0.sees(.text("refused"))
      try await $0.sees(.field("Short", showing: "ABC"), .text("short ABC"))
    },
    RendererScenario("Markup and control characters in texts have no effect") {
      Hostile()
    } script: {
      for text in Hostile.texts { try await $0.sees(.text(text), .button("pressed \(text)")) }
      try await $0.does(.press("pressed \(Hostile.texts[0])"))
      try await $0.sees(.text("got \(Hostile.texts[0])"))
      try await $0.expect { shown in
        guard shown.contains(where: { $0.name.contains("[31mred") && $0.name.contains("2J") })
        else {
          return "the screen doesn't show the text around control characters"
        }
        let all = shown.map(\.name).joined().unicodeScalars
        return all.first { $0.properties.generalCategory == .control }.map {
          "the screen shows U+\(String($0.value, radix: 16))"
        }
      }
    },
    RendererScenario("An element of an unknown kind shows its text and its content") {
      Unknown()
    } script: {
      try await $0.sees(.text("before"), .text("trend"), .text("inside"), .text("after"))
    },
    RendererScenario("Rows of lists in lists are shown, used, and change places") {
      Nested()
    } script: {
      try await $0.sees(
        .text("shelf a"), .button("a1"), .button("a2"), .text("shelf b"), .button("b1"),
        .button("b2"), .text("last: none"))
      try await $0.does(.press("b1"))
      try await $0.sees(.text("last: b1"))
      try await $0.does(.press("Turn around"))
      try await $0.sees(
        .text("shelf b"), .button("b2"), .button("b1"), .text("shelf a"), .button("a2"),
        .button("a1"))
      try await $0.does(.press("a1"))
      try await $0.sees(.text("last: a1"))
    },
  ]

  /// Creates a scenario of the basic ones.
  private init(
    _ name: String, @ElementBuilder root: @escaping @Sendable () -> Element,
    script: @escaping @Sendable (ScenarioUser) async throws -> Void
  ) {
    self.init(name: name, isBasic: true, root: root, script: script)
  }
}

// MARK: - The screens

private struct Everything: View {
  @State private var name = "Ada"

  var body: Element {
    Text("Library").style(.title)
    Section("Fields") {
      TextField("Name", text: $name)
      Toggle("Lent", isOn: .constant(true))
      Picker("Size", selection: .constant("small"), options: ["small", "large"])
      RadioGroup("Color", selection: .constant("red"), options: ["blue", "red"])
      ProgressBar("Read", value: 0.5)
    }
    Row {
      Button("Save") {}
      Button("Cancel") {}
    }
    Divider()
    Hyperlink("Site", to: "https://example.com/")
    Image("/cat.png", text: "A cat")
    Text("end")
  }
}

private struct Fields: View {
  @State private var name = "Ada"
  @State private var new = ""
  @State private var added = ""
  @State private var age = 3
  @State private var short = ""
  @State private var message = ""

  var body: Element {
    TextField("Name", text: $name)
    Text("Hello, \(name)!")
    TextField("New", text: $new) {
      added = new
      new = ""
    }
    if !added.isEmpty { Text("added \(added)") }
    TextField("Age", value: $age, invalid: { "“\($0)” isn’t an age" })
    Text("age \(age)")
    TextField(
      "Short",
      text: Binding(
        get: { short },
        set: { text in
          if text == "x" { return message = "refused" }
          short = String(text.prefix(3)).uppercased()
        }))
    Text("short \(short)")
    if !message.isEmpty { Text(message) }
  }
}

struct Counter: View {
  @State private var count = 0

  var body: Element {
    Text("count \(count)")
    Button("Add") { count += 1 }
  }
}

private struct Settings: View {
  @State private var isOn = false
  @State private var size = "small"
  @State private var color = "red"
  @State private var isIntact = true

  var body: Element {
    Toggle("Lamp", isOn: $isOn)
    Text(isOn ? "bright" : "dark")
    Picker("Size", selection: $size, options: ["small", "medium", "large"])
    RadioGroup("Color", selection: $color, options: ["red", "blue"])
    Text("\(size) \(color)")
    Button("Explode") { isIntact = false }.disabled()
    Text(isIntact ? "intact" : "exploded")
  }
}

private struct Hostile: View {
  static let texts = [
    "<script>alert(1)</script>", "&amp; \"double\" 'single' `back`", "]]></main><b>",
    "%s %n \\u0041",
    "שלום مرحبا", "e\u{301}\u{323}", "a < b && c > d", "javascript:alert(1)",
  ]
  @State private var last = ""

  var body: Element {
    Text("got \(last)")
    ForEach(Hostile.texts, id: \.self) { text in
      Text(text)
      Button("pressed \(text)") { last = text }
    }
    Text("\u{1B}[31mred\u{7}\u{9B}2J")
  }
}

private struct Unknown: View {
  var body: Element {
    Text("before")
    Element(
      kind: ElementKind("sparkline"), text: "trend", children: [Text("inside").element])
    Text("after")
  }
}

private struct Nested: View {
  @State private var shelves = ["a", "b"]
  @State private var books = [1, 2]
  @State private var last = "none"

  var body: Element {
    ForEach(shelves, id: \.self) { shelf in
      Column {
        Text("shelf \(shelf)")
        ForEach(books, id: \.self) { book in
          Button("\(shelf)\(book)") { last = "\(shelf)\(book)" }
        }
      }
    }
    Text("last: \(last)")
    Button("Turn around") {
      shelves.reverse()
      books.reverse()
    }
  }
}
