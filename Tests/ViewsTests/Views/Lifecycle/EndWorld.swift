import Signals
import SignalsTesting
import TestSupport

/// Hosts whose views keep tokens of every kind, each of which does something when it goes.
final class EndWorld {
  final class Doc: Object {
    @Field var count = 0
  }

  let store = Store(undoLimit: 4)
  let level = Signal(0)
  let isShown = (0..<3).map { _ in Signal(true) }
  let events = Subject<Int, Never>()
  var hosts: [ViewHost?] = []
  var texts: [TextRenderer] = []
  var alive: [Int] = []
  var failures: [String] = []
  private var random: SeededRandom
  private var budget = 0
  private var subscriptions: [any Cancellable] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    for _ in 0..<3 { addDoc() }
    for number in 0..<3 { makeHost(number) }
  }

  var docs: [Doc] { untracked { Array(store.results(Doc.self)) } }

  private func addDoc() {
    let doc = Doc()
    do { try store.add(doc) } catch { failures.append("\(error)") }
  }

  private func makeHost(_ number: Int) {
    let renderer = TextRenderer()
    if number == hosts.count {
      hosts.append(nil)
      texts.append(renderer)
    }
    texts[number] = renderer
    hosts[number] = ViewHost(store, renderer: renderer) { [unowned self] in
      Text("level \(level.value)")
      EndPane(world: self, depth: 0, number: number, token: EndToken(self))
    }
  }

  func step() {
    budget = 6
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2: isShown[number()].value.toggle()
    case 3: endHost(number())
    case 4: for number in hosts.indices where hosts[number] == nil { makeHost(number) }
    case 5: addDoc()
    case 6: if let doc = docs.first { try? store.delete(doc) }
    case 7: level.value += 1
    case 8: try? hosts[number()]?.perform("toggle-\(number())")
    default:
      batch {
        isShown[number()].value.toggle()
        endHost(number())
      }
    }
    budget = 0
    check()
  }

  func end() {
    for number in hosts.indices { endHost(number) }
    for subscription in subscriptions { subscription.cancel() }
    subscriptions = []
    for doc in docs { try? store.delete(doc) }
  }

  /// Releases a host when the array is whole: what it keeps looks at that.
  private func endHost(_ number: Int) {
    let host = hosts[number]
    withExtendedLifetime(host) { hosts[number] = nil }
  }

  private func number() -> Int { Int.random(in: 0..<3, using: &random) }

  private func check() {
    for (number, host) in hosts.enumerated() {
      guard let host else { continue }
      let fresh = TextRenderer()
      fresh.commit(host.frame, replacing: nil)
      let shown = texts[number].text
      if fresh.text != shown { failures.append("host \(number) shows \(shown), not \(fresh.text)") }
      if !shown.hasPrefix("level \(level.value)\n") {
        failures.append("level of \(number): \(shown)")
      }
      let counts = docs.map { "doc \($0.count)" }
      let lines = shown.split(separator: "\n").map(String.init)
      if Array(lines.dropFirst().prefix(counts.count)) != counts {
        failures.append("docs \(counts) on host \(number): \(shown)")
      }
    }
  }

  /// What a token does when it goes.
  func tokenEnded() {
    guard budget > 0 else { return }
    budget -= 1
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: level.value += 1
    case 2: docs.first?.count += 1
    case 3: if let doc = docs.last { try? store.delete(doc) }
    case 4: _ = try? store.undo()
    case 5:
      if !subscriptions.isEmpty { subscriptions.removeLast().cancel() }
      events.send(1)
    case 6: endHost(number())
    case 7: isShown[number()].value.toggle()
    case 8: try? store.write { for doc in docs { doc.count += 1 } }
    default: _ = hosts[number()]?.busyIntents
    }
  }

  func keep(_ subscription: any Cancellable) { subscriptions.append(subscription) }
}

/// Tells its world when it goes.
final class EndToken {
  weak var world: EndWorld?
  init(_ world: EndWorld) { self.world = world }
  deinit { world?.tokenEnded() }
}

private enum EndWorldKey: EnvironmentKey { static var defaultValue: EndToken? { nil } }

extension EnvironmentValues {
  fileprivate var endWorldToken: EndToken? {
    get { self[EndWorldKey.self] }
    set { self[EndWorldKey.self] = newValue }
  }
}

/// Keeps tokens in every way that a view has.
struct EndPane: View {
  unowned let world: EndWorld
  let depth: Int
  let number: Int
  let token: EndToken
  @StateObject private var object: EndToken
  @StateObject private var loader: Loader<Int>
  @State private var state: EndToken?
  @State private var subscription: (any Cancellable)?
  @State private var least = 0
  @Restored("end") private var restored = 0
  @Focus private var focus
  @Environment(\.endWorldToken) private var surrounding
  @ObservedResults(EndWorld.Doc.self) private var docs
  @DraftObject(EndWorld.Doc.self) private var draft

  init(world: EndWorld, depth: Int, number: Int, token: EndToken) {
    (self.world, self.depth, self.number, self.token) = (world, depth, number, token)
    let made = EndToken(world)
    _object = StateObject(wrappedValue: made)
    let loads = EndToken(world)
    _loader = StateObject(
      wrappedValue: Loader {
        _ = loads
        return 1
      })
  }

  var body: Element {
    let _ = (object, loader.state, surrounding, focus, draft.count)
    ForEach($docs.where(on: least) { [token] doc in token.world != nil && doc.count >= least }) {
      doc in
      Text("doc \(doc.count)").onDisappear { [token] in _ = token }
    }
    if depth == 0 {
      ForEach(0..<3, id: \.self) { place in
        Toggle("shown", isOn: world.isShown[place].binding, id: "toggle-\(place)")
        if world.isShown[place].value {
          EndPane(world: world, depth: place + 1, number: number, token: EndToken(world))
            .environment(\.endWorldToken, EndToken(world))
            .onError { [token] _ in _ = token }
        }
      }
    }
    Text("level \(world.level.value)").onAppear {
      state = EndToken(world)
      let kept = EndToken(world)
      subscription = world.events.sink { _ in _ = kept }
      restored += 1
      world.keep(world.events.sink { [token] _ in _ = token })
    }.onDisappear { [token] in _ = token.world }
    TextField("field", text: .constant(""), id: "field-\(depth)").onChange(of: world.level.value) {
      [token] in _ = token
    }
  }
}
