import Signals
import SignalsTesting
import TestSupport

/// What a random screen holds, nested to some depth; built once.
indirect enum ScreenPlan {
  case text(Int)
  case captured
  case tone
  case button(Int)
  case toggle(Int)
  case field
  case row([ScreenPlan])
  case column([ScreenPlan])
  case section(Int, ScreenPlan)
  case headed(Int, ScreenPlan)
  case child(ScreenPlan, input: Int)
  case values(Int, ScreenPlan)
  case notes(Int, ScreenPlan)
  case narrowed(Int, ScreenPlan)
  case sections(Int, ScreenPlan)
  case bindings(ScreenPlan)
  case toned(Int, ScreenPlan)
  case disabled(Int, ScreenPlan)
  case hidden(Int, ScreenPlan)
  case styled(Int, ScreenPlan)
  case either(Int, ScreenPlan, ScreenPlan)
  case optional(Int, ScreenPlan)
  case keyed(Int, ScreenPlan)

  static func random(_ depth: Int, _ random: inout SeededRandom) -> ScreenPlan {
    func number() -> Int { Int.random(in: 0..<ChangedWorld.width, using: &random) }
    func next() -> ScreenPlan { .random(depth - 1, &random) }
    if depth == 0 {
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1: return .text(number())
      case 2, 3: return .captured
      case 4: return .tone
      case 5: return .button(number())
      default: return .toggle(number())
      }
    }
    switch Int.random(in: 0..<22, using: &random) {
    case 0: return .row([.captured, .text(number()), .tone])
    case 1, 2:
      return .column([next(), .random(Int.random(in: 0..<depth, using: &random), &random)])
    case 3: return .section(number(), next())
    case 4: return .headed(number(), next())
    case 5, 6: return .child(next(), input: number())
    case 7, 8, 9: return .values(number(), next())
    case 10: return .notes(number(), next())
    case 11: return .narrowed(number(), next())
    case 12, 13: return .sections(number(), next())
    case 14: return .bindings(next())
    case 15: return .toned(number(), next())
    case 16: return .disabled(number(), next())
    case 17: return .hidden(number(), next())
    case 18: return .styled(number(), next())
    case 19: return .either(number(), next(), next())
    case 20: return .optional(number(), next())
    default: return .keyed(number(), .column([.field, next()]))
    }
  }
}

private enum ToneKey: EnvironmentKey {
  static var defaultValue: Int { 0 }
}

extension EnvironmentValues {
  fileprivate var changedTone: Int {
    get { self[ToneKey.self] }
    set { self[ToneKey.self] = newValue }
  }
}

/// Signals and a store that a random screen reads.
final class ChangedWorld {
  static let width = 4
  let signals = (0..<width).map { Signal($0) }
  let lists = (0..<width).map { Signal(Array(0...$0)) }
  let values = Signal([1, 2, 3])
  let store: Store
  var notes: [Note]
  var random: SeededRandom
  let screen: ScreenPlan
  let renderer = CheckingRenderer()
  private(set) var host: ViewHost?
  private var last = 100

  init(seed: UInt64, depth: Int) throws {
    random = SeededRandom(seed: seed)
    (store, notes) = try Signals_notes(5)
    screen = .column([.random(depth, &random), .random(depth, &random)])
    if seed.isMultiple(of: 3) { renderer.window = 0..<3 }
    renderer.lists = seed.isMultiple(of: 2)
    host = ViewHost(store, renderer: renderer) { [screen] in
      ScreenNode(world: self, plan: screen, captured: [])
    }
  }

  func end() { host = nil }

  func step() throws {
    if renderer.window != nil, Int.random(in: 0..<6, using: &random) == 0 {
      let start = Int.random(in: 0..<4, using: &random)
      renderer.window = start..<start + 3
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: try batch { for _ in 0..<3 { try change() } }
    case 1: try store.write { for _ in 0..<2 { try changeNotes() } }
    default: try change()
    }
  }

  private func number() -> Int { Int.random(in: 0..<Self.width, using: &random) }

  private func change() throws {
    switch Int.random(in: 0..<8, using: &random) {
    case 0...3: signals[number()].value = Int.random(in: 0..<3, using: &random)
    case 4: changeList(lists[number()])
    case 5: changeList(values)
    default: try changeNotes()
    }
  }

  private func changeList(_ list: Signal<[Int]>) {
    var new = list.value
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where new.count < 6:
      last += 1
      new.insert(last, at: Int.random(in: 0...new.count, using: &random))
    case 1 where !new.isEmpty: new.remove(at: Int.random(in: 0..<new.count, using: &random))
    default: new.shuffle(using: &random)
    }
    list.value = new
  }

  private func changeNotes() throws {
    let note = notes.randomElement(using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: note?.title = "note \(Int.random(in: 0..<3, using: &random))"
    case 1: note?.isDone.toggle()
    case 2: note?.rank = Int.random(in: 0..<5, using: &random)
    case 3 where notes.count < 8:
      let new = Note()
      last += 1
      new.number = last
      new.rank = last % 5
      new.title = "note \(last % 3)"
      try store.add(new)
      notes.append(new)
    case 4:
      if let note, notes.count > 2 {
        notes.removeAll { $0 === note }
        try store.delete(note)
      }
    default: note?.title += "."
    }
    if let note, note.title.count > 12 { note.title = "note" }
  }
}

/// The notes of other tests, by a name that nothing here shadows.
private func Signals_notes(_ count: Int) throws -> (Store, [Note]) { try notes(count) }

/// A view of a plan.
struct ScreenNode: View {
  unowned let world: ChangedWorld
  let plan: ScreenPlan
  let captured: [Int]
  @State private var flag = false
  @State private var text = "t"
  @Environment(\.changedTone) private var tone
  @ObservedResults(Note.self, sortedBy: \.rank) private var notes
  @ObservedSections(Note.self, by: \.isDoneText, sortedBy: .ascending(\.rank)) private var sections

  var body: Element { build(plan, captured) }

  private func build(_ plan: ScreenPlan, _ captured: [Int]) -> Element {
    let signals = world.signals
    switch plan {
    case .text(let number): return Text("s\(signals[number].value)").element
    case .captured: return Text("c\(captured)").element
    case .tone: return Text("tone \(tone)").element
    case .button(let number):
      let value = signals[number].value
      return Button("b\(value)") { signals[number].value = value + 1 }.element
    case .toggle(let number):
      return Toggle("t\(signals[number].value)", isOn: $flag).element
    case .field: return TextField("f", text: $text).element
    case .row(let plans):
      return Row { for plan in plans { build(plan, captured) } }.element
    case .column(let plans):
      return Column { for plan in plans { build(plan, captured) } }.element
    case .section(let number, let plan):
      return Section("section \(signals[number].value)") { build(plan, captured) }.element
    case .headed(let number, let plan):
      return Section {
        build(plan, captured)
      } header: {
        Text("header \(signals[number].value) \(captured)")
      } footer: {
        Text("footer \(tone)")
      }.element
    default: return buildAround(plan, captured)
    }
  }

  private func buildAround(_ plan: ScreenPlan, _ captured: [Int]) -> Element {
    let signals = world.signals
    switch plan {
    case .child(let plan, let input):
      let inner = Array(captured.suffix(3)) + [signals[input].value]
      return ScreenNode(world: world, plan: plan, captured: inner).element
    case .toned(let number, let plan):
      return build(plan, captured).environment(\.changedTone, signals[number].value)
    case .disabled(let number, let plan):
      return build(plan, captured).disabled(signals[number].value == 0)
    case .hidden(let number, let plan):
      return build(plan, captured).hidden(signals[number].value == 0)
    case .styled(let number, let plan):
      return build(plan, captured).style(signals[number].value == 0 ? .warning : .positive)
    case .either(let number, let first, let second):
      return both(signals[number].value == 0, build(first, captured), build(second, captured))
    case .optional(let number, let plan):
      return only(signals[number].value > 0, build(plan, captured))
    case .keyed(let number, let plan):
      return build(plan, captured).id(signals[number].value / 2)
    default: return buildRows(plan, captured)
    }
  }

  @ElementBuilder private func both(_ isFirst: Bool, _ first: Element, _ second: Element) -> Element
  {
    if isFirst { first } else { second }
  }

  @ElementBuilder private func only(_ isThere: Bool, _ element: Element) -> Element {
    if isThere { element }
  }

  private func buildRows(_ plan: ScreenPlan, _ captured: [Int]) -> Element {
    let signals = world.signals
    switch plan {
    case .values(let number, let plan):
      let list = world.lists[number]
      let inner = Array(captured.suffix(3)) + [signals[number].value]
      return ForEach(list.value, id: \.self) { build(plan, inner + [$0]) }.element
    case .notes(let number, let plan):
      return ForEach(notes) { note in
        Text(note.title)
        build(plan, Array(captured.suffix(3)) + [note.rank, signals[number].value])
      }.element
    case .narrowed(let number, let plan):
      let least = signals[number].value
      return ForEach($notes.where(on: least) { $0.rank >= least }) { note in
        build(plan, Array(captured.suffix(3)) + [note.rank])
      }.element
    case .sections(let number, let plan):
      let least = signals[number].value
      return ForEach($sections.where(on: least) { $0.rank >= least }) { $section in
        Section("\(section.key) (\(section.count))") {
          ForEach(section) { note in
            Text(note.title)
            build(plan, captured)
          }
        }
      }.element
    case .bindings(let plan):
      return ForEachBinding(world.values.binding, id: \.self) { $value in
        Text("v\(value)")
        build(plan, Array(captured.suffix(3)) + [value])
      }.element
    default: return Element(kind: .text, text: "?")
    }
  }
}
