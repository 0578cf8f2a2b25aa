import Signals
import SignalsTesting
import TestSupport
import Testing

final class Crate: Object, Validating {
  @PrimaryKey var id = 0
  @Field var note: String? = "fragile"
  @Field var size = Size()
  @Link var sender: Contact?
  @Links var receivers: List<Contact>

  struct Size: Codable, Equatable, Sendable { var width = 1 }

  func validate(_ check: inout Validation) {
    check.require(note != "", at: \Crate.note, "No note")
    check.require(size.width > 0, at: \Crate.size, "No size")
  }
}

final class Contact: EmbeddedObject, Validating {
  @Field var name = "x"
  @Field var city = "y"

  func validate(_ check: inout Validation) {
    check.require(!name.isEmpty, at: \Contact.name, "No name")
    check.require(!city.isEmpty, at: \Contact.city, "No city")
  }
}

/// What is wrong with a value, on the way to the field that edits a part of it.
@Suite struct `Views, checked bindings` {
  private struct Form: View {
    @DraftObject var crate: Crate
    var body: Element {
      TextField("Note", text: $crate.note.unwrapped(or: "-"))
      TextField(
        "Width",
        text: $crate.size.width.map {
          "\($0)"
        } back: {
          Int($0)
        })
      if let sender = Binding($crate.sender) {
        TextField("Name", text: sender.name)
        TextField("City", text: sender.city)
      }
      for place in crate.receivers.indices {
        TextField("Receiver \(place)", text: $crate.receivers[place].name)
      }
      Button("Save") { try $crate.commit() }
    }
  }

  private func form() throws -> TestHost {
    let store = Store()
    let crate = Crate()
    crate.sender = Contact()
    crate.receivers = [Contact(), Contact()]
    try store.add(crate)
    return try TestHost(store) { Form(crate: crate) }
  }

  @Test func `an optional, a member, what is embedded and an element show what is wrong there`()
    throws
  {
    let app = try form()
    #expect(!app.text.contains("!"))
    try app.type("", into: "Note")
    try app.type("0", into: "Width")
    try app.type("", into: "City")
    try app.type("", into: "Receiver 1")
    #expect(
      app.text == """
        Note: []
        ! No note
        Width: [0]
        ! No size
        Name: [x]
        City: []
        ! No city
        Receiver 0: [x]
        Receiver 1: []
        ! No name
        [Save]
        """)
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    try app.type("z", into: "Receiver 1")
    #expect(!app.text.contains("No name"))
  }

  @Test func `a new check is another input of a child view`() throws {
    struct Name: View {
      @Binding var text: String
      var body: Element { TextField("Name", text: $text) }
    }
    struct Strict: View {
      @State var name = "x"
      @State var strict = false
      var body: Element {
        Toggle("Strict", isOn: $strict)
        Name(text: strict ? $name.checked { ["too short"] } : $name)
      }
    }
    let app = try TestHost(Store()) { Strict() }
    try app.toggle("Strict", to: true)
    #expect(app.text.contains("! too short"))
    try app.toggle("Strict", to: false)
    #expect(!app.text.contains("!"))
  }

  @Test func `a draft's check is the same input`() throws {
    struct Name: View {
      @Binding var text: String
      var body: Element { TextField("Name", text: $text) }
    }
    struct Outer: View {
      @DraftObject var crate: Crate
      @State var ticks = 0
      var body: Element {
        if let sender = Binding($crate.sender) { Name(text: sender.name) }
        Button("tick \(ticks)", id: "tick") { ticks += 1 }
      }
    }
    let store = Store()
    let crate = Crate()
    crate.sender = Contact()
    try store.add(crate)
    let app = try TestHost(store) { Outer(crate: crate) }
    let bodies = app.bodies
    try app.tap("tick")
    #expect(app.bodies == bodies + 1)
    try app.type("", into: "Name")
    #expect(app.text.contains("! No name"))
  }

  @Test func `a check of one's own is about whatever part is edited`() {
    let signal = Signal(["a": 1])
    let checked = signal.binding.checked { ["wrong"] }
    #expect(checked["a"].errors == ["wrong"])
    #expect(
      checked["a", default: 0].map {
        "\($0)"
      } back: {
        Int($0)
      }.errors == ["wrong"])
    #expect(Binding(checked["a"])?.errors == ["wrong"])
    #expect(signal.binding["a"].errors == [])
  }
}
