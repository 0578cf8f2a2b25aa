import Signals
import TestSupport
import Testing

/// What steps are called, and when they were done.
@Suite struct `Graph, labels of steps` {
  let store = Store()
  let soup = StockedDish("soup")

  init() throws {
    try store.write(undoable: false) { try store.add(soup) }
    store.now = { .seconds(100) }
  }

  @Test func `a step has the label and the date of its write`() throws {
    try store.write(label: "Serve soup") { soup.stock -= 1 }
    store.now = { .seconds(200) }
    try store.write(label: "Price") { soup.price = 1 }
    soup.price = 2
    #expect(store.history.undoSteps.map(\.label) == [nil, "Price", "Serve soup"])
    #expect(store.history.undoSteps.map(\.date) == [nil, .seconds(200), .seconds(100)])
    #expect((store.history.undoCount, store.history.redoCount) == (3, 0))
    #expect(store.history.undoLabel == nil)
    try store.undo()
    #expect((store.history.undoLabel, store.history.redoLabel) == ("Price", nil))
    try store.undo()
    #expect((store.history.undoLabel, store.history.redoLabel) == ("Serve soup", "Price"))
    #expect((store.history.undoCount, store.history.redoCount) == (1, 2))
    #expect(store.history.redoSteps.map(\.label) == ["Price", nil])
    #expect(store.history.redoSteps.map(\.date) == [.seconds(200), nil])
    try store.redo()
    #expect((store.history.undoLabel, store.history.redoLabel) == ("Price", nil))
    #expect(store.history.undoSteps.first?.date == .seconds(200))
  }

  @Test func `an object's own transaction has a label too`() throws {
    let soup = StockedDish("soup", stock: 5)
    try soup.write(label: "Season") { soup.price = 1 }
    #expect(soup.price == 1)
    let store = Store()
    try store.add(soup)
    try soup.write(label: "Serve soup") { soup.stock -= 1 }
    #expect(store.history.undoLabel == "Serve soup")
    try soup.write(undoable: false) { soup.price = 2 }
    #expect(store.history.undoLabel == "Serve soup")
  }

  @Test func `of nested writes the outermost names the step, and of several the first`() throws {
    try store.write(label: "outer") { try store.write(label: "inner") { soup.price = 1 } }
    #expect(store.history.undoLabel == "outer")
    try store.write {
      try store.write(label: "first") { soup.price = 2 }
      try store.write(label: "second") { soup.price = 3 }
    }
    #expect(store.history.undoLabel == "first")
  }

  @Test func `what was taken back names nothing, nor does what is not to be undone`() throws {
    try store.write {
      try? store.write(label: "failed") {
        soup.price = 1
        throw Refusal()
      }
      try store.write(label: "load", undoable: false) { soup.stock = 3 }
      soup.price = 2
    }
    #expect(store.history.undoCount == 1 && store.history.undoLabel == nil)
  }

  @Test func `without undo, and without a label, nothing asks for the time`() throws {
    let store = Store(undoLimit: 0), other = Store()
    var asked = 0
    for store in [store, other] {
      store.now = {
        asked += 1
        return .zero
      }
    }
    let fish = StockedDish("fish")
    try store.write(label: "add") { try store.add(fish) }
    try other.write { try other.add(StockedDish("salad")) }
    #expect(asked == 0)
    try other.write(label: "add") { try other.add(StockedDish("bread")) }
    #expect(asked == 1)
  }

  @Test func `the clock of the system says about now`() throws {
    let store = Store()
    try store.write(label: "add") { try store.add(StockedDish("fish")) }
    let date = try #require(store.history.undoSteps.first?.date)
    #expect(date > .seconds(1_700_000_000))
  }

  @Test func `a clock that writes is a part of the transaction`() throws {
    store.now = { [soup] in
      soup.price += 1
      return .zero
    }
    try store.write(label: "a") { soup.stock = 1 }
    #expect(soup.price == 1 && store.history.undoCount == 1)
    try store.undo()
    #expect(soup.price == 0 && soup.stock == 0)
  }

  @Test func `a group, and what coalesces, has the last label that was given`() throws {
    let history = UndoHistory(store, coalescing: .property)
    try history.group {
      try store.write(label: "first") { soup.price = 1 }
      try store.write(label: "second") { soup.stock = 1 }
      soup.price = 2
    }
    #expect((history.undoCount, history.undoLabel) == (1, "second"))
    try store.write(label: "price") { soup.price = 3 }
    store.now = { .seconds(300) }
    soup.price = 4
    #expect((history.undoCount, history.undoLabel) == (2, "price"))
    #expect(history.undoSteps.first?.date == .seconds(100))
    try store.write(label: "dearer") { soup.price = 5 }
    #expect((history.undoCount, history.undoLabel) == (2, "dearer"))
    #expect(history.undoSteps.first?.date == .seconds(300))
    try history.undo()
    #expect(soup.price == 2 && history.redoLabel == "dearer")
    try history.redo()
    #expect(soup.price == 5 && history.undoLabel == "dearer")
  }

  @Test func `labels and counts are observed, each for itself`() throws {
    var labels: [String] = [], counts: [String] = [], steps: [Int] = []
    let history = store.history
    let effects = EffectScope {
      _ = Effect { labels.append("\(history.undoLabel ?? "-") \(history.redoLabel ?? "-")") }
      _ = Effect { counts.append("\(history.undoCount) \(history.redoCount)") }
      _ = Effect { steps.append(history.undoSteps.count + history.redoSteps.count) }
    }
    try store.write(label: "a") { soup.price = 1 }
    try store.write(label: "a") { soup.price = 2 }
    soup.price = 3
    try store.undo()
    try store.undo()
    soup.price = 4
    #expect(labels == ["- -", "a -", "- -", "a -", "a a", "- -"])
    #expect(counts == ["0 0", "1 0", "2 0", "3 0", "2 1", "1 2", "2 0"])
    #expect(steps == [0, 1, 2, 3, 3, 3, 2])
    effects.cancel()
  }

  @Test func `a full history has the labels of the latest steps`() throws {
    let store = Store(undoLimit: 3)
    let soup = StockedDish("soup")
    try store.add(soup)
    for number in 1...5 { try store.write(label: "\(number)") { soup.price = number } }
    #expect(store.history.undoSteps.map(\.label) == ["5", "4", "3"])
    try store.undo()
    #expect(store.history.undoSteps.map(\.label) == ["4", "3"] && store.history.redoLabel == "5")
  }

  @Test func `an undo in a transaction with a label keeps the label of its step`() throws {
    try store.write(label: "a") { soup.price = 1 }
    try store.write(label: "Undo") { try store.undo() }
    #expect(store.history.redoLabel == "a" && !store.canUndo)
  }
}
