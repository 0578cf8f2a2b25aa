import Signals
import SignalsTesting
import TestSupport
import Testing

/// Frames: who gets which, and when.
@Suite struct `Views, frames` {
  final class Named: Renderer {
    let name: String
    let count: Count
    init(_ name: String, _ count: Count) {
      self.name = name
      self.count = count
    }
    func commit(_ new: Frame, replacing old: Frame?) { count.log.append(name) }
  }

  @Test func `with a manual clock several commits are one frame`() throws {
    let number = Signal(0), clock = FrameClock.manual
    let app = try TestHost(Store(), clock: clock) { Text("\(number.value)") }
    #expect(!clock.isWaiting)
    number.value = 1
    number.value = 2
    #expect((app.text, app.bodies, clock.isWaiting) == ("0", 1, true))
    clock.tick()
    #expect((app.text, app.bodies, app.frames, clock.isWaiting) == ("2", 2, 2, false))
    clock.tick()
    #expect(app.frames == 2)
  }

  @Test func `what ends where it began until the tick makes no frame`() throws {
    let (store, notes) = try notes(1)
    let clock = FrameClock.manual
    let isHigh = Computed { notes[0].rank > 5 }
    let app = try TestHost(store, clock: clock) { Text("\(isHigh.value)") }
    notes[0].rank = 9
    notes[0].rank = 1
    clock.tick()
    #expect((app.bodies, app.frames) == (1, 1))
    notes[0].rank = 9
    clock.tick()
    #expect(app.text == "true")
  }

  @Test func `a tick makes frames in the order in which hosts were made`() throws {
    let number = Signal(0), clock = FrameClock.manual, count = Count()
    let hosts = ["a", "b", "c"].map { name in
      ViewHost(Store(), renderer: Named(name, count), clock: clock) { Text("\(number.value)") }
    }
    count.log = []
    number.value = 1
    clock.tick()
    #expect(count.log == ["a", "b", "c"])
    withExtendedLifetime(hosts) {}
  }

  @Test func `a tick within a transaction waits for its end`() throws {
    let (store, notes) = try notes(2)
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Text("\(notes[0].rank + notes[1].rank)") }
    try store.write {
      notes[0].rank = 10
      clock.tick()
      notes[1].rank = -10
      clock.tick()
      #expect(app.text == "1")
    }
    clock.tick()
    #expect((app.text, app.frames) == ("0", 2))
  }

  @Test func `several hosts on one store get their frames in the order of their creation`() throws {
    let (store, notes) = try notes(1)
    let count = Count()
    let hosts = ["first", "second"].map { name in
      ViewHost(store, renderer: Named(name, count)) { Text(notes[0].title) }
    }
    count.log = []
    notes[0].title = "new"
    #expect(count.log == ["first", "second"])
    withExtendedLifetime(hosts) {}
  }

  @Test func `a host made within a transaction is right after its end, and after its undoing`()
    throws
  {
    let (store, notes) = try notes(1)
    var app: TestHost?
    #expect(throws: Count.Stop.self) {
      try store.write {
        notes[0].rank = 5
        app = try TestHost(store) { Text("\(notes[0].rank)") }
        #expect(app?.text == "5")
        throw Count.Stop()
      }
    }
    #expect(app?.text == "0")
  }

  @Test func `a replaced frame keeps what it showed`() throws {
    let names = Signal(["a", "b"]), suffix = Signal("")
    let log = FrameLog()
    let host = ViewHost(Store(), renderer: log) {
      ForEach(names.value, id: \.self) { name in Text(name + suffix.value) }
    }
    let first = host.frame
    #expect(first.texts(in: first.root) == ["a", "b"])
    suffix.value = "!"
    let second = host.frame
    #expect(first.texts(in: first.root) == ["a", "b"])
    #expect(second.texts(in: second.root) == ["a!", "b!"])
    names.value = ["b"]
    #expect(first.texts(in: first.root) == ["a", "b"])
    #expect(second.texts(in: second.root) == ["a!", "b!"])
    #expect(host.frame.texts(in: host.frame.root) == ["b!"])
    #expect(log.olds.map { $0?.root } == [nil, first.root, first.root])
  }

  @Test func `a row that was not read from a frame is not evaluated by it once it was replaced`() {
    let names = Signal(["a", "b"])
    let host = ViewHost(Store(), renderer: FrameLog()) {
      ForEach(names.value, id: \.self) { Text($0) }
    }
    let first = host.frame
    names.value = ["a", "b", "c"]
    #expect(first.texts(in: first.root) == [])
    #expect(host.bodies == 1)
  }

  @Test func `a renderer may write, which is the next frame`() throws {
    final class Writing: Renderer {
      let size: Signal<Int>
      var texts: [[String]] = []
      init(_ size: Signal<Int>) { self.size = size }
      func commit(_ new: Frame, replacing old: Frame?) {
        texts.append(new.texts(in: new.root))
        if size.value < 3 { size.value += 1 }
      }
    }
    let size = Signal(0)
    let renderer = Writing(size)
    let host = ViewHost(Store(), renderer: renderer) { Text("\(size.value)") }
    #expect(renderer.texts == [["0"], ["1"], ["2"], ["3"]])
    withExtendedLifetime(host) {}
  }
}
