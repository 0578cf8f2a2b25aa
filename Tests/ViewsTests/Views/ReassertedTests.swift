import Signals
import SignalsTesting
import TestSupport
import Testing

/// Values that stand although the user has entered others.
@Suite struct `Views, reasserted values` {
  struct Stop: Error, Equatable {}

  /// Keeps what the user sees, as a browser does: what was typed, until a frame says otherwise.
  final class Page: Renderer {
    private(set) var seen: [ElementID: ElementValue] = [:]
    private(set) var commits = 0
    private(set) var reasserted: [Set<ElementID>] = []

    func commit(_ new: Frame, replacing old: Frame?) {
      commits += 1
      reasserted.append(new.reasserted)
      for scope in new.changed {
        for (id, element) in new.namedElements(of: scope) { seen[id] = element.value }
      }
      for id in new.reasserted { seen[id] = new.element(id)?.value }
    }

    func enter(_ value: ElementValue, _ input: ElementInput, into name: String, _ host: ViewHost) {
      guard let id = ElementID(name) else { return }
      seen[id] = value
      try? host.perform(.identity(id), with: input)
    }

    subscript(name: String) -> ElementValue? { ElementID(name).flatMap { seen[$0] } }
  }

  final class Model {
    @Signal var number = 20
    @Signal var text = "a"
    @Signal var isOn = false
    @Signal var choice = "x"
    @Signal var isLocked = false
    var refuses: (any Error)?
  }

  struct Screen: View {
    let model: Model

    var body: Element {
      let model = model
      TextField(
        "number",
        text: Binding(
          get: { "\(model.number)" }, set: { model.number = min(20, Int($0) ?? model.number) }))
      TextField(
        "text",
        text: Binding(
          get: { model.text },
          set: {
            if let error = model.refuses { _ = error } else { model.text = $0.lowercased() }
          }))
      Toggle(
        "flag", isOn: Binding(get: { model.isOn }, set: { if !model.isLocked { model.isOn = $0 } }))
      Picker(
        "pick",
        selection: Binding(
          get: { model.choice }, set: { if !model.isLocked { model.choice = $0 } }),
        options: ["x", "y"])
    }
  }

  private func host(_ model: Model) -> (Page, ViewHost) {
    let page = Page()
    return (page, ViewHost(Store(), renderer: page) { Screen(model: model) })
  }

  @Test func `a value that the model clamps to what it was is reasserted`() {
    let (page, host) = host(Model())
    page.enter(.text("25"), .text("25"), into: "Screen#number", host)
    #expect(page["Screen#number"] == .text("20"))
    #expect(page.commits == 2)
    #expect(page.reasserted.last == Set([ElementID("Screen#number")!]))
    #expect(host.frame.reasserted == page.reasserted.last)
  }

  @Test func `a value that the model normalizes is reasserted`() {
    let model = Model()
    let (page, host) = host(model)
    page.enter(.text("A"), .text("A"), into: "Screen#text", host)
    #expect(page["Screen#text"] == .text("a"))
    page.enter(.text("B"), .text("B"), into: "Screen#text", host)
    #expect(page["Screen#text"] == .text("b"))
  }

  @Test func `a value that stands is not reasserted, and an equal one makes no frame`() {
    let (page, host) = host(Model())
    page.enter(.text("b"), .text("b"), into: "Screen#text", host)
    #expect((page.commits, page.reasserted.last) == (2, []))
    page.enter(.text("b"), .text("b"), into: "Screen#text", host)
    #expect(page.commits == 2)
  }

  @Test func `toggles and pickers that refuse are reasserted`() {
    let model = Model()
    model.isLocked = true
    let (page, host) = host(model)
    page.enter(.flag(true), .flag(true), into: "Screen#flag", host)
    #expect(page["Screen#flag"] == .flag(false))
    page.enter(.flag(true), .tap, into: "Screen#flag", host)
    #expect(page["Screen#flag"] == .flag(false))
    let y = ElementValue.choice("y", of: ["x", "y"])
    page.enter(y, .choice("y"), into: "Screen#pick", host)
    #expect(page["Screen#pick"] == .choice("x", of: ["x", "y"]))
    page.enter(y, .choice("gone"), into: "Screen#pick", host)
    #expect(page["Screen#pick"] == .choice("x", of: ["x", "y"]))
  }

  @Test func `an intent that throws has its value reasserted`() throws {
    let (store, notes) = try notes(1)
    store.beforeCommit { _ in throw Stop() }
    let page = Page()
    let host = ViewHost(store, renderer: page, onError: { _ in }) {
      TextField("title", text: Binding(get: { notes[0].title }, set: { notes[0].title = $0 }))
    }
    page.enter(.text("new"), .text("new"), into: "#title", host)
    #expect(page["#title"] == .text("note 0"))
    #expect(page.commits == 2)
  }

  @Test func `an element that can't be used has its value reasserted`() {
    let page = Page()
    let host = ViewHost(Store(), renderer: page) {
      TextField("title", text: .constant("a")).disabled()
    }
    page.enter(.text("b"), .text("b"), into: "#title", host)
    #expect(page["#title"] == .text("a"))
  }

  struct Typed: View {
    @State private var number = 5
    var body: Element { TextField("n", value: $number.map({ $0 }, back: { min(9, $0) })) }
  }

  @Test func `a text that can't be parsed stays, and one that is clamped does not`() {
    let page = Page()
    let host = ViewHost(Store(), renderer: page) { Typed() }
    let field = host.frame.focus == nil ? page.seen.keys.first?.description ?? "" : ""
    for (typed, stands) in [
      ("x", "x"), ("", ""), ("007", "007"), ("12", "9"), ("99", "9"), (" 8", " 8"),
    ] {
      page.enter(.text(typed), .text(typed), into: field, host)
      #expect(page[field] == .text(stands))
    }
  }

  @Test func `with a clock of its own a host says so in the next frame`() {
    let page = Page(), clock = FrameClock.manual, model = Model()
    let host = ViewHost(Store(), renderer: page, clock: clock) { Screen(model: model) }
    page.enter(.text("25"), .text("25"), into: "Screen#number", host)
    page.enter(.text("26"), .text("26"), into: "Screen#number", host)
    #expect(page.commits == 1)
    clock.tick()
    #expect(page.commits == 2)
    #expect(page["Screen#number"] == .text("20"))
  }

  @Test func `in a batch the frame at its end says so`() {
    let page = Page(), model = Model()
    let host = ViewHost(Store(), renderer: page) { Screen(model: model) }
    batch {
      page.enter(.text("25"), .text("25"), into: "Screen#number", host)
      #expect(page.commits == 1)
    }
    #expect(page["Screen#number"] == .text("20"))
    #expect(page.commits == 2)
  }

  @Test func `a field that goes with its input is not reasserted`() {
    let isShown = Signal(true), page = Page()
    let host = ViewHost(Store(), renderer: page) {
      if isShown.value {
        TextField("t", text: Binding(get: { "a" }, set: { _ in isShown.value = false }))
      }
    }
    page.enter(.text("b"), .text("b"), into: "#t", host)
    #expect(page.reasserted.last == [])
  }

  @Test func `after random inputs the user sees what the frame says`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let model = Model()
    let (page, host) = host(model)
    for _ in 0..<2000 {
      model.isLocked = Bool.random(using: &random)
      model.refuses = Bool.random(using: &random) ? nil : Stop()
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let text = ["1", "25", "x", "20", "019"].randomElement(using: &random)!
        page.enter(.text(text), .text(text), into: "Screen#number", host)
      case 1:
        let text = ["a", "A", "b", ""].randomElement(using: &random)!
        page.enter(.text(text), .text(text), into: "Screen#text", host)
      case 2:
        let isOn = Bool.random(using: &random)
        page.enter(.flag(isOn), .flag(isOn), into: "Screen#flag", host)
      default:
        let option = ["x", "y", "z"].randomElement(using: &random)!
        let value = ElementValue.choice(ElementOption(id: option, title: option), of: ["x", "y"])
        page.enter(value, .choice(option), into: "Screen#pick", host)
      }
      for (id, value) in page.seen {
        guard host.frame.element(id)?.value == value else {
          Issue.record("seed \(seed): \(id) shows \(value)")
          return
        }
      }
    }
  }
}
