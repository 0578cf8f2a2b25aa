import Signals
import SignalsTesting
import TestSupport
import Testing

/// What a form shows of a draft besides its fields.
@Suite struct `Drafts, forms` {
  final class Team: Object, Validating {
    @Field var name = ""
    @Links var members: List<Room>

    var label: String {
      get { name }
      set { name = newValue }
    }

    func validate(_ check: inout Validation) {
      check.require(!name.isEmpty, at: \Team.name, "A team needs a name")
      check.require(!members.isEmpty, at: \Team.members, "Nobody is in it")
    }
  }

  struct Form: View {
    @DraftObject(Team.self) var team
    var body: Element {
      Section("Members") { ForEach(team.members) { Text("floor \($0.floor)") } }
        .errors(of: $team.members)
      ErrorText(of: $team.name)
      Button("Add") { team.members.append(Room()) }
      Button("Save") { try $team.commit() }
    }
  }

  @Test func `what is wrong with a list stands below it, as it does beside a field`() throws {
    let app = try TestHost(Store()) { Form() }
    #expect(app.text == "Members\n[Add]\n[Save]")
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(
      app.text == "Members\n! Nobody is in it\n! A team needs a name\n[Add]\n[Save]")
    try app.tap("Add")
    #expect(app.text == "Members\nfloor 0\n! A team needs a name\n[Add]\n[Save]")
  }

  @Test func `bindings of a draft know what is wrong outside of a view too`() throws {
    let draft = Store().draft(Team.self)
    #expect(draft.bindings.name.errors == [] && !draft.bindings.isValid)
    draft.bindings.name.wrappedValue = "x"
    draft.bindings.name.wrappedValue = ""
    #expect(throws: InvalidDraftError.self) { try draft.commit() }
    #expect(draft.bindings.name.errors == ["A team needs a name"])
    #expect(draft.bindings.label.errors == [])
  }
}
