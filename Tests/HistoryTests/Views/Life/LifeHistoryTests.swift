import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random screens: what is alive is what the model says, and nothing appears or disappears twice.
@Suite struct `Views, random lives` {
  /// What stands on the screen.
  struct Screen: Equatable {
    var names: [Int] = []
    var hasColumn = true
    var isNested = false
    var id = 0
    var isHidden = false

    /// Who is alive, by the places where they stand.
    var alive: Set<String> {
      var alive: Set = ["id \(id)"]
      for name in names { alive.insert("row \(name)") }
      if hasColumn { alive.formUnion(["column", isNested ? "nested" : "plain"]) }
      return alive
    }
  }

  struct Part: View {
    let name: String
    let tally: Tally
    var body: Element {
      Text(name).onAppear { tally.appear("view \(name)") }
        .onDisappear { tally.disappear("view \(name)") }
    }
  }

  /// Counts who is alive; anything that happens twice is an issue.
  final class Tally {
    private(set) var alive: Set<String> = []

    func appear(_ name: String) {
      #expect(alive.insert(name).inserted, "\(name) appeared twice")
    }

    func disappear(_ name: String) {
      #expect(alive.remove(name) != nil, "\(name) disappeared, and wasn't there")
    }
  }

  struct Root: View {
    let screen: Signal<Screen>
    let tally: Tally

    var body: Element {
      let now = screen.value
      noted("id \(now.id)").id(now.id)
      if now.hasColumn {
        Column {
          if now.isNested { noted("nested") } else { noted("plain") }
        }
        .onAppear { tally.appear("column") }.onDisappear { tally.disappear("column") }
        .hidden(now.isHidden)
      }
      ForEach(screen.value.names, id: \.self) { noted("row \($0)") }
    }

    private func noted(_ name: String) -> Element {
      Part(name: name, tally: tally).onAppear { tally.appear(name) }
        .onDisappear { tally.disappear(name) }
    }
  }

  @Test(arguments: seeds(8)) func `lives balance`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let screen = Signal(Screen(), name: "screen"), tally = Tally()
    var app: TestHost? = try TestHost(Store()) { Root(screen: screen, tally: tally) }
    var nodes: Int?
    for step in 0..<200 {
      var next = screen.value
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: next.hasColumn.toggle()
        case 1: next.isNested.toggle()
        case 2: next.id += 1
        case 3: next.isHidden.toggle()
        case 4: next.names.shuffle(using: &random)
        case 5: next.names.removeAll { $0 % 3 == step % 3 }
        default: if !next.names.contains(step % 9) { next.names.insert(step % 9, at: 0) }
        }
      }
      screen.value = next
      let views = next.alive.subtracting(["column"]).map { "view \($0)" }
      #expect(tally.alive == next.alive.union(views), "seed \(seed), step \(step)")
      if next == Screen(id: next.id) {
        #expect(ReactiveGraph.liveNodes == nodes ?? ReactiveGraph.liveNodes)
        nodes = ReactiveGraph.liveNodes
      }
    }
    #expect(app?.errors.isEmpty == true)
    app = nil
    #expect(tally.alive == [])
  }
}
