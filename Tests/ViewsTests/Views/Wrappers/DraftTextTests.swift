import Signals
import SignalsTesting
import TestSupport
import Testing

private final class Bill: Object {
  @PrimaryKey var id = 1
  @Field var title = "rent"
  @Field var due: Int?
  @Links var lines: List<BillLine>
}

private final class BillLine: EmbeddedObject {
  @Field var amount = 0

  convenience init(_ amount: Int) {
    self.init()
    self.amount = amount
  }
}

/// What is typed into the fields of a draft and is no value.
@Suite struct `Drafts, invalid texts` {
  private struct Form: View {
    @DraftObject private var scrum: Scrum
    @State private var showsMinutes = true

    init(_ scrum: Scrum) {
      _scrum = DraftObject(wrappedValue: scrum, restoredAs: "scrum-form")
    }

    var body: Element {
      TextField("Title", text: $scrum.title)
      if showsMinutes { TextField("Minutes", value: $scrum.minutes) }
      if let room = Binding($scrum.room) { TextField("Floor", value: room.floor) }
      Toggle("Fields", isOn: $showsMinutes)
      Button("Half an hour") { scrum.minutes = 30 }
      Button("Save") { try $scrum.commit() }
      Button("Cancel") { $scrum.discard() }
    }
  }

  private struct BillForm: View {
    @DraftObject var bill: Bill

    var body: Element {
      TextField("Due", value: $bill.due)
      for index in bill.lines.indices {
        TextField("Line \(index)", value: $bill.lines[index].amount)
      }
      Button("Reverse") { bill.lines.reverse() }
      Button("Drop") { bill.lines.removeFirst() }
      Button("Save") { try $bill.commit() }
    }
  }

  private func bill() throws -> (Store, Bill) {
    let (store, bill) = (Store(), Bill())
    bill.lines = [BillLine(1), BillLine(2)]
    try store.add(bill)
    return (store, bill)
  }

  @Test func `it keeps the draft from being committed, and stays there with the error`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum) }
    try app.type("Weekly", into: "Title")
    try app.type("ten", into: "Minutes")
    #expect(app.text.contains("Minutes: [ten]\n! \"ten\" can't be used here\n"))
    let error = #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(
      error?.description
        == #"Scrum(id: 1) is not valid: minutes is "ten": "ten" can't be used here"#)
    #expect(scrum.title == "Daily" && app.text.contains("Minutes: [ten]"))
    try app.type("10", into: "Minutes")
    try app.tap("Save")
    #expect((scrum.title, scrum.minutes) == ("Weekly", 10))
  }

  @Test func `it goes when the draft is discarded, or the property gets another value`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum) }
    try app.type("", into: "Minutes")
    #expect(try app.find("Minutes").errors == ["A value is needed"])
    try app.tap("Cancel")
    #expect(try app.find("Minutes").errors == [] && app.text.contains("Minutes: [15]"))
    try app.type("x", into: "Minutes")
    try app.tap("Half an hour")
    #expect(app.text.contains("Minutes: [30]"))
    try app.tap("Save")
    #expect(scrum.minutes == 30)
  }

  @Test func `it is not lost in silence with a field that is not shown any more`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum) }
    try app.type("x", into: "Minutes")
    try app.toggle("Fields", to: false)
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    try app.toggle("Fields", to: true)
    #expect(app.text.contains("Minutes: [x]"))
  }

  @Test func `it outlives a kill with a draft that does`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum) }
    try app.type("x", into: "Minutes")
    try app.type("-", into: "Floor")
    let next = try relaunched(store)
    let shown = try #require(next.object(Scrum.self, primaryKey: 1))
    let restored = try TestHost(next) { Form(shown) }
    #expect(restored.text == app.text)
    #expect(try restored.find("Floor").errors == ["\"-\" can't be used here"])
    #expect(throws: InvalidDraftError.self) { try restored.tap("Save") }
    try restored.tap("Cancel")
    #expect(try TestHost(try relaunched(next)) { Form(shown) }.text.contains("Minutes: [15]"))
  }

  @Test func `it stays with what is embedded, wherever that stands`() throws {
    let (store, bill) = try bill()
    let app = try TestHost(store) { BillForm(bill: bill) }
    try app.type("x", into: "Line 0")
    try app.type("soon", into: "Due")
    try app.tap("Reverse")
    #expect(app.text.contains("Line 0: [2]\nLine 1: [x]\n! \"x\" can't be used here"))
    let error = #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(error?.errors.map(\.property) == ["due", "lines[1].amount"])
    #expect(error?.errors.last?.id == bill.lines[0].objectID)
    try app.tap("Reverse")
    try app.tap("Drop")
    try app.type("", into: "Due")
    try app.tap("Save")
    #expect(bill.lines.map(\.amount) == [2])
  }

  private struct SeenForm: View {
    @DraftObject var bill: Bill
    let see: (Draft<Bill>) -> Void

    var body: Element {
      let _ = see($bill.draft)
      TextField("Due", value: $bill.due)
    }
  }

  @Test func `each validation of the draft reports it, again and again`() throws {
    let (store, bill) = try bill()
    var seen: Draft<Bill>?
    let host = try TestHost(store) { SeenForm(bill: bill) { seen = $0 } }
    let draft = try #require(seen)
    var told: [[String]] = []
    let watching = Effect { told.append(draft.errors.map(\.description)) }
    try host.type("x", into: "Due")
    try host.type("y", into: "Due")
    #expect(draft.shownErrors(at: \.due).map(\.message) == ["\"y\" can't be used here"])
    draft.discard()
    #expect(host.text == "Due: []")
    #expect(
      told == [
        [], ["due is \"x\": \"x\" can't be used here"],
        ["due is \"y\": \"y\" can't be used here"], [],
      ])
    watching.cancel()
  }
}
