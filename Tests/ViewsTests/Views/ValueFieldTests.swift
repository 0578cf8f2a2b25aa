import Signals
import SignalsTesting
import TestSupport
import Testing

/// A text field for a number.
@Suite struct `Views, value fields` {
  struct Form: View {
    let minutes: Signal<Int>
    let limit: Signal<Double?>
    var body: Element {
      TextField("Minutes", value: minutes.binding)
      TextField("Limit", value: limit.binding, invalid: { "\($0) is no limit" })
    }
  }

  let minutes = Signal(10)
  let limit = Signal<Double?>(nil)

  private func makeApp() throws -> TestHost {
    try TestHost(Store()) { Form(minutes: minutes, limit: limit) }
  }

  @Test func `a typed text stays, also while it can't be parsed, with an error beside it`() throws {
    let app = try makeApp()
    #expect(app.text == "Minutes: [10]\nLimit: []")
    try app.type("", into: "Minutes")
    #expect(app.text.hasPrefix("Minutes: []\n! A value is needed\n") && minutes.value == 10)
    try app.type("ten", into: "Minutes")
    #expect(app.text.hasPrefix("Minutes: [ten]\n! \"ten\" can't be used here\n"))
    #expect(minutes.value == 10)
    try app.type("15", into: "Minutes")
    #expect(app.text == "Minutes: [15]\nLimit: []" && minutes.value == 15)
  }

  @Test func `a text of the same value is not rewritten while it is typed`() throws {
    let app = try makeApp()
    try app.type("007 ", into: "Minutes")
    #expect(app.text.hasPrefix("Minutes: [007 ]\nLimit") && minutes.value == 7)
    try app.type("1.", into: "Limit")
    #expect(app.text.hasSuffix("Limit: [1.]") && limit.value == 1)
  }

  /// A text in which case makes no difference.
  private struct Word: Equatable, LosslessStringConvertible {
    var description: String
    init(_ text: String) { description = text }
    static func == (one: Word, other: Word) -> Bool {
      one.description.lowercased() == other.description.lowercased()
    }
  }

  private final class Measure: Object {
    @Field var ratio = 0.0
    @Field var share: Double? = 0
  }

  private struct MeasureForm: View {
    @DraftObject var measure: Measure
    var body: Element {
      TextField("Ratio", value: $measure.ratio)
      TextField("Share", value: $measure.share)
      Button("Save") { try $measure.commit() }
    }
  }

  @Test func `a text of an equal value stays as typed on the way to another one`() throws {
    let (ratio, share, word) = (Signal(0.0), Signal<Double?>(0), Signal(Word("abc")))
    let app = try TestHost(Store()) {
      TextField("Ratio", value: ratio.binding)
      TextField("Share", value: share.binding)
      TextField("Word", value: word.binding)
      TextField("Own", value: ratio.binding, show: { "\($0)" }, parse: { Double($0) })
    }
    for text in ["-", "-0", "-0.", "-0.0", "-0.5"] {
      for field in ["Ratio", "Share"] {
        try app.type(text, into: field)
        #expect(app.text.contains("\(field): [\(text)]"))
      }
    }
    #expect(ratio.value == -0.5 && share.value == -0.5)
    ratio.value = 0
    for text in ["-0", "-0.25"] {
      try app.type(text, into: "Own")
      #expect(app.text.contains("Own: [\(text)]"))
    }
    #expect(ratio.value == -0.25)
    for text in ["ABC", "ABCd"] {
      try app.type(text, into: "Word")
      #expect(app.text.contains("Word: [\(text)]"))
    }
    word.value = Word("other")
    #expect(app.text.contains("Word: [other]"))
  }

  @Test func `a text of an equal value stays as typed in a draft`() throws {
    let store = Store()
    let measure = try store.add(Measure())
    let app = try TestHost(store) { MeasureForm(measure: measure) }
    for text in ["-", "-0", "-0.", "-0.5"] {
      for field in ["Ratio", "Share"] {
        try app.type(text, into: field)
        #expect(app.text.contains("\(field): [\(text)]"))
      }
    }
    try app.tap("Save")
    #expect(measure.ratio == -0.5 && measure.share == -0.5)
  }

  @Test func `a text that another value has replaced doesn't come back with its value`() throws {
    let app = try makeApp()
    for text in ["1x", "010"] {
      minutes.value = 10
      try app.type(text, into: "Minutes")
      #expect(app.text.hasPrefix("Minutes: [\(text)]"))
      minutes.value = 11
      minutes.value = 10
      #expect(app.text == "Minutes: [10]\nLimit: []")
    }
  }

  @Test func `a text in a draft that another value has replaced doesn't come back`() throws {
    let store = Store()
    let measure = try store.add(Measure())
    let draft = store.draft(of: measure)
    let app = try TestHost(store) { TextField("Ratio", value: draft.bindings.ratio) }
    for text in ["x", "00"] {
      try app.type(text, into: "Ratio")
      #expect(app.text.hasPrefix("Ratio: [\(text)]"))
      draft.ratio = 1
      #expect(app.text == "Ratio: [1.0]")
      draft.ratio = 0
      #expect(app.text == "Ratio: [0.0]")
    }
  }

  @Test func `when the value changes otherwise it is shown`() throws {
    let app = try makeApp()
    try app.type("ten", into: "Minutes")
    minutes.value = 20
    #expect(app.text == "Minutes: [20]\nLimit: []")
  }

  private struct DraftForm: View {
    @DraftObject var scrum: Scrum
    var body: Element {
      TextField("Minutes", value: $scrum.minutes)
      Button("Cancel") { $scrum.discard() }
    }
  }

  @Test func `what was typed into a draft goes when that is discarded`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { DraftForm(scrum: scrum) }
    try app.type("ten", into: "Minutes")
    #expect(app.text == "Minutes: [ten]\n! \"ten\" can't be used here\n[Cancel]")
    try app.tap("Cancel")
    #expect(app.text == "Minutes: [15]\n[Cancel]")
  }

  private struct RankField: View {
    @ObservedObject var note: Note
    var body: Element { TextField("Rank", value: $note.rank) }
  }

  @Test func `what was typed for one object is not shown for another of the same value`() throws {
    let shown = Signal(0)
    let (store, notes) = try notes(2)
    notes[1].rank = 0
    let app = try TestHost(store) { RankField(note: notes[shown.value]) }
    try app.type("ten", into: "Rank")
    shown.value = 1
    #expect(app.text == "Rank: [0]")
    try app.type("11", into: "Rank")
    #expect(notes.map(\.rank) == [0, 11])
  }

  @Test func `an optional value is nil while nothing is typed`() throws {
    let app = try makeApp()
    try app.type("2.5", into: "Limit")
    #expect(limit.value == 2.5)
    try app.type("x", into: "Limit")
    #expect(app.text.hasSuffix("Limit: [x]\n! x is no limit") && limit.value == 2.5)
    try app.type("", into: "Limit")
    #expect(app.text.hasSuffix("Limit: []") && limit.value == nil)
  }

  @Test func `what is refused is not shown as if it were there`() throws {
    let store = Store()
    let person = try store.add(Person())
    let app = try TestHost(store) {
      TextField("Id", value: Binding(get: { person.id }, set: { person.id = $0 }))
    }
    #expect(throws: StoreError.self) { try app.type("5", into: "Id") }
    #expect(app.text == "Id: [0]")
  }

  @Test func `an error of the value is shown beside it too`() throws {
    let binding = minutes.binding.checked { minutes.value > 60 ? ["too long"] : [] }
    let app = try TestHost(Store()) { TextField("Minutes", value: binding, id: "m") }
    try app.type("61", into: "m")
    #expect(app.text == "Minutes: [61]\n! too long")
  }

  /// A day of the year, as one writes it: a value without a description that could be read back.
  private struct Day: Equatable {
    var month: Int
    var day: Int
    static func show(_ day: Day) -> String { "\(day.month)/\(day.day)" }
    static func parse(_ text: String) -> Day? {
      let parts = text.split(separator: "/").compactMap { Int($0) }
      return parts.count == 2 ? Day(month: parts[0], day: parts[1]) : nil
    }
  }

  @Test func `a value of any type is shown and read as the view says`() throws {
    let (start, end) = (Signal(Day(month: 2, day: 3)), Signal<Day?>(nil))
    let app = try TestHost(Store()) {
      TextField("Start", value: start.binding, show: Day.show, parse: Day.parse)
      TextField("End", value: end.binding, show: Day.show, parse: { Day.parse($0) })
    }
    #expect(app.text == "Start: [2/3]\nEnd: []")
    try app.type("4/", into: "Start")
    #expect(app.text.hasPrefix("Start: [4/]\n! \"4/\" can't be used here"))
    #expect(start.value.month == 2)
    try app.type("4/1", into: "Start")
    try app.type("5/1", into: "End")
    #expect((start.value, end.value) == (Day(month: 4, day: 1), Day(month: 5, day: 1)))
    try app.type("", into: "End")
    #expect(end.value == nil && app.text == "Start: [4/1]\nEnd: []")
  }

  @Test(arguments: ["nan", "inf", "-infinity", "1e999", "-1e999", "NaN"])
  func `a number that isn't finite is refused, unless the view parses it`(text: String) throws {
    struct Screen: View {
      @State var ratio = 1.0
      @State var share: Float? = 2
      @State var any = 3.0
      var body: Element {
        TextField("ratio", value: $ratio)
        TextField("share", value: $share)
        TextField("any", value: $any, show: { "\($0)" }, parse: { Double($0) })
        Text("\(ratio) \(share ?? 0)")
        Text(any.isFinite ? "finite" : "not finite")
      }
    }
    let app = try TestHost(Store()) { Screen() }
    try app.type(text, into: "ratio")
    try app.type(text, into: "share")
    #expect(app.text.contains("1.0 2.0") && app.text.contains("\"\(text)\" can't be used here"))
    try app.type("1e39", into: "share")
    #expect(app.text.contains("1.0 2.0"))
    try app.type(text, into: "any")
    #expect(app.text.contains("not finite"))
  }

  @Test func `a trailing closure is what a submit does, as of a field for text`() throws {
    let submits = Signal(0)
    let app = try TestHost(Store()) {
      TextField("Minutes", value: minutes.binding) { submits.value += 1 }
      TextField("Limit", value: limit.binding) {
        submits.value += 10
      } invalid: {
        "\($0) is no limit"
      }
    }
    try app.submit("Minutes")
    try app.submit("Limit")
    #expect(submits.value == 11)
    try app.type("x", into: "Limit")
    #expect(app.text.contains("! x is no limit"))
  }
}
