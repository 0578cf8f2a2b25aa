import Signals
import SignalsTesting
import Testing

@testable import SignalsSync

/// Partitions that are joined as long as views show them.
@Suite @MainActor struct `Joined partitions` {
  @Test func `a partition is joined while a view shows it, once for all views`() async throws {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    two.join("board=1")
    try two.store.add(makeBoard(1, "plans"))
    await sharing.settle()
    let shown = Signal([1, 1])
    let app = try TestHost(one.store) { Boards(shown: shown) }
    #expect(app.text == "loading [----------] 0%\nloading [----------] 0%")
    await sharing.settle()
    #expect(app.text == "plans\nplans")
    shown.value = [1]
    #expect(one.state(of: "board=1") == .joined && app.text == "plans")
    shown.value = []
    #expect(one.state(of: "board=1") == .notJoined)
    two.store.object(Board.self, primaryKey: 1)?.title = "later"
    await sharing.settle()
    #expect(one.store.object(Board.self, primaryKey: 1)?.title == "plans")
    shown.value = [1]
    #expect(app.text == "loading [----------] 0%")
    await sharing.settle()
    #expect(app.text == "later")
  }

  @Test func `a view that shows another partition joins it, and leaves the other one`() async throws
  {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    let board = Signal(1)
    let app = try TestHost(one.store) { BoardScreen(board: board.value) }
    await sharing.settle()
    #expect(one.state(of: "board=1") == .joined && app.text == "none")
    board.value = 2
    #expect(
      one.state(of: "board=1") == .notJoined && one.state(of: "board=2") == .joining(progress: 0))
    await sharing.settle()
    #expect(one.state(of: "board=2") == .joined && app.text == "none")
  }

  @Test
  func `a partition that the app has joined too stays joined, and one that it leaves doesn't`()
    async throws
  {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    one.join("board=1")
    let shown = Signal([1, 2])
    let app = try TestHost(one.store) { Boards(shown: shown) }
    await sharing.settle()
    shown.value = []
    #expect(one.state(of: "board=1") == .joined && one.state(of: "board=2") == .notJoined)
    shown.value = [1]
    one.leave("board=1")
    #expect(app.text == "loading" && one.state(of: "board=1") == .notJoined)
    // Another view needs it.
    shown.value = [1, 1]
    await sharing.settle()
    #expect(app.text == "none\nnone" && one.state(of: "board=1") == .joined)
  }

  @Test func `a refusal is shown, and so is a store without a replica`() async throws {
    let sharing = Sharing(1) { MayRead { _, _, _ in throw Refused("secret") } }
    let app = try TestHost(sharing.replicas[0].store) { BoardScreen(board: 1) }
    await sharing.settle()
    #expect(app.text == "secret")
    let other = try TestHost(Store()) { BoardScreen(board: 1) }
    #expect(other.text == "the store isn't that of a replica")
  }
}

private struct Boards: View {
  let shown: Signal<[Int]>

  var body: Element {
    ForEach(Array(shown.value.enumerated()), id: \.offset) { BoardScreen(board: $0.element) }
  }
}

private struct BoardScreen: View {
  @Joined private var state: PartitionState
  @ObservedResults(Board.self) private var boards

  init(board: Int) { _state = Joined("board=\(board)") }

  var body: Element {
    switch state {
    case .joined: Text(boards.first?.title ?? "none")
    case .refused(let reason), .delayed(let reason): Text(reason)
    case .joining(let share): ProgressBar("loading", value: share)
    case .notJoined: Text("loading")
    }
  }
}
