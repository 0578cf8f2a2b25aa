import Signals
import SignalsTesting
import TestSupport
import Testing

/// The references by which intents are found.
@Suite struct `Views, element references` {
  /// A button, a leaf of its own scope, and a cover.
  struct Page: View {
    let state: PageState
    var body: Element {
      let state = state
      Column {
        Button("Add", id: "add-1") { state.log.value.append("add") }
        Leaf(state: state).hidden(state.isHidden.value)
      }
      .covered(when: state.isCovered.value) { Text("cover") }
      .onKey("a") { state.log.value.append("key") }
    }
  }

  struct Leaf: View {
    let state: PageState
    var body: Element {
      let state = state
      Toggle(state.title.value, isOn: state.isOn.binding, id: "flag")
    }
  }

  struct PageState {
    let log = Signal<[String]>([])
    let isOn = Signal(false), isHidden = Signal(false), isCovered = Signal(false)
    let title = Signal("flag")
  }

  private let state = PageState()

  private func page() throws -> ViewHost {
    try TestHost(Store()) { Page(state: state) }.host
  }

  /// Returns the element on screen with an id, and the scope that draws it.
  private func drawn(_ id: String, on host: ViewHost) throws -> (DrawnElement, ScopeID) {
    var waiting = host.frame.elements(of: host.frame.root).map { ($0, host.frame.root) }
    while let (element, scope) = waiting.popLast() {
      switch element.content {
      case .drawn(let drawn):
        if drawn.id == id { return (drawn, scope) }
        waiting += drawn.children.map { ($0, scope) }
      case .scope(let inner): waiting += host.frame.elements(of: inner).map { ($0, inner) }
      case nil: break
      }
    }
    throw HostError.noElement(id, nearest: [])
  }

  @Test func `an element is found by each kind of reference`() throws {
    let host = try page()
    let number = 1, id = "add-1"
    let (element, scope) = try drawn(id, on: host)
    let named = host.frame.namedElements(of: scope)
    let identity = try #require(named.first { $0.element === element }?.id)
    let references: [ElementReference] = [
      "add-1", "add-\(number)", .id(id), .identity(identity), .element(element),
    ]
    for reference in references {
      try host.perform(reference)
      try host.start(reference)
    }
    #expect(state.log.value == Array(repeating: "add", count: 10))
  }

  @Test func `a key takes a tap or its own press`() throws {
    let host = try page()
    try host.perform(.key("a"))
    try host.start(.key("a"), with: .key("a"))
    #expect(state.log.value == ["key", "key"])
    let error = HostError.wrongInput("a", kind: ElementKind("key"), .text("x"))
    #expect(throws: error) { try host.perform(.key("a"), with: .text("x")) }
    #expect(throws: HostError.self) { try host.start(.key("a"), with: .key("b")) }
    #expect(state.log.value.count == 2)
  }

  @Test func `an element of a known scope is used`() throws {
    let host = try page()
    let (element, scope) = try drawn("flag", on: host)
    try host.start(element, in: scope, with: .tap)
    #expect(state.isOn.value)
  }

  @Test func `an element that its scope doesn't show is refused`() throws {
    let host = try page()
    let (element, scope) = try drawn("flag", on: host)
    let gone = HostError.gone("flag")
    func expectRefusal(in scope: ScopeID) {
      #expect(throws: gone) { try host.start(element, in: scope, with: .tap) }
    }
    expectRefusal(in: host.frame.root)
    state.isHidden.value = true
    expectRefusal(in: scope)
    state.isHidden.value = false
    state.isCovered.value = true
    expectRefusal(in: scope)
    state.isCovered.value = false
    state.title.value = "other"
    expectRefusal(in: scope)
    _ = host.close()
    expectRefusal(in: scope)
    #expect(!state.isOn.value)
  }

  @Test func `an element in a row that waits to be requested is refused`() throws {
    let renderer = FrameLog()
    let rows = Signal([1])
    let title = Signal("row")
    let state = state
    let host = ViewHost(Store(), renderer: renderer) {
      ForEach(rows.value, id: \.self) { _ in
        Text(title.value)
        Leaf(state: state)
      }
    }
    let (element, scope) = try drawn("flag", on: host)
    title.value = "changed"
    #expect(throws: HostError.gone("flag")) { try host.start(element, in: scope, with: .tap) }
    let (again, same) = try drawn("flag", on: host)
    #expect(same == scope)
    try host.start(again, in: scope, with: .tap)
    #expect(state.isOn.value)
  }
}
