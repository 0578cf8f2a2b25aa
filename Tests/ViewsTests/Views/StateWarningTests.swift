import Signals
import SignalsTesting
import TestSupport
import Testing

/// Messages of debug builds about state that a view reads where it isn't followed.
///
/// Optimized builds write none.
@Suite struct `Views, warnings about state` {
  /// The warnings that this kind of build writes.
  private func written(_ warnings: String...) -> [String] {
    #if DEBUG
      warnings
    #else
      []
    #endif
  }

  private func missing(_ state: String) -> String {
    "the closure of where(on:) or results(on:) reads signal '\(state)', which has changed, "
      + "and `on:` is the same as before: the results don't follow it; add it to `on:`"
  }

  struct Board: View {
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    @State var query = ""
    @State var minimum = 0
    @State var isDescending = false
    let isHeld: Bool
    let isDerived: Bool

    var body: Element {
      TextField("query", text: $query)
      Button("more") { minimum += 1 }
      Button("less") { minimum -= 1 }
      Button("turn") { isDescending.toggle() }
      ForEach(
        isDerived
          ? $notes.where(on: "\(query)-\(minimum)", isIncluded)
          : isHeld
            ? $notes.where(on: [AnyHashable(query), AnyHashable(minimum)], isIncluded)
            : $notes.where(on: query, isIncluded)
      ) { Text($0.title) }
      ForEach(
        $notes.results(on: query) { results in
          isHeld ? results : isDescending ? results.sorted(by: \.title) : results
        }
      ) { Text("\($0.rank)") }
    }

    func isIncluded(_ note: Note) -> Bool {
      note.title.hasPrefix(query) && note.rank >= minimum
    }
  }

  private func mount(isHeld: Bool = false, isDerived: Bool = false) throws -> TestHost {
    try TestHost(try notes(3).store) { Board(isHeld: isHeld, isDerived: isDerived) }
  }

  @Test func `a condition that reads state which on: doesn't hold is named once it has changed`()
    throws
  {
    let app = try mount()
    let warnings = try DebugWarnings.collect {
      try app.tap("more")
      try app.tap("more")
    }
    #expect(warnings == written(missing("Board.minimum")))
  }

  @Test func `state that on: holds or is derived from is fine`() throws {
    for app in [try mount(isHeld: true), try mount(isDerived: true)] {
      let warnings = try DebugWarnings.collect {
        try app.tap("more")
        try app.type("n", into: "query")
        try app.tap("less")
      }
      #expect(warnings == [])
    }
  }

  @Test func `state that is back at its value is fine, and state of a view that left`() throws {
    let isShown = Signal(true)
    let app = try TestHost(try notes(3).store) {
      if isShown.value { Board(isHeld: false, isDerived: false) }
    }
    let warnings = try DebugWarnings.collect {
      let element = try app.host.element("more")
      try batch {
        try app.tap("more")
        try app.tap("less")
      }
      isShown.value = false
      _ = element
    }
    #expect(warnings == [])
  }

  @Test func `a closure of results(on:) that reads state is named, too`() throws {
    let app = try mount()
    let warnings = try DebugWarnings.collect { try app.tap("turn") }
    #expect(warnings == written(missing("Board.isDescending")))
  }

  // MARK: - Computeds

  struct Row: View {
    let numbers: [Int]
    @State var sum: Computed<Int>
    @State var optional: Computed<Int>?
    @State var taps = 0

    init(_ numbers: [Int], isOptional: Bool) {
      self.numbers = numbers
      let made = Computed { numbers.reduce(0, +) }
      _sum = State(wrappedValue: isOptional ? Computed { 1 } : made)
      _optional = State(wrappedValue: isOptional ? made : nil)
    }

    var body: Element {
      Text("\(sum.value) \(optional?.value ?? 0)")
      Button("tap") { taps += 1 }
      Text("\(taps)")
    }
  }

  @Test(arguments: [false, true])
  func `a computed of an input that is kept in state is named once the input has another value`(
    isOptional: Bool
  ) throws {
    let numbers = Signal([1, 2])
    let app = try TestHost(Store()) { Row(numbers.value, isOptional: isOptional) }
    let warnings = try DebugWarnings.collect {
      try app.tap("tap")
      numbers.value = [2, 1]
      numbers.value = [3]
      try app.tap("tap")
      numbers.value = [4, 4]
    }
    numbers.value = [1, 2]
    let name = isOptional ? "Row.optional" : "Row.sum"
    #expect(
      warnings
        == written(
          "\(name) keeps the Computed of the view's first inputs, and one of the present inputs has "
            + "another value: make it in the body, or from a state, an object or a binding"))
  }

  struct Total: View {
    let number: Int
    let source: Signal<Int>
    @State var total: Computed<Int>

    init(_ number: Int, _ source: Signal<Int>) {
      (self.number, self.source) = (number, source)
      _total = State(wrappedValue: Computed { source.value * 2 })
    }

    var body: Element { Text("\(number) \(total.value)") }
  }

  @Test func `a computed that no body has read is not evaluated`() throws {
    struct Cell: View {
      @State var item: Computed<Int>

      init(_ items: Signal<[Int]>, _ place: Int, _ runs: Count) {
        _item = State(
          wrappedValue: Computed {
            runs.value += 1
            return items.value[place]
          })
      }

      var body: Element { Text("x") }
    }
    let items = Signal([1, 2, 3]), place = Signal(2), runs = Count()
    let app = try TestHost(Store()) { Cell(items, place.value, runs) }
    let warnings = DebugWarnings.collect {
      items.value = [1]
      place.value = 0
    }
    #expect(warnings == [] && runs.value == 0 && app.text == "x")
  }

  @Test func `a computed of what doesn't change with the inputs is fine`() throws {
    let number = Signal(1), source = Signal(1)
    let app = try TestHost(Store()) { Total(number.value, source) }
    let warnings = DebugWarnings.collect {
      number.value = 2
      source.value = 5
      number.value = 3
    }
    #expect(warnings == [] && app.text == "3 10")
  }
}
