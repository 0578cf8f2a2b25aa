import Signals
import SignalsTesting
import TestSupport
import Testing

extension `Views, lifecycle` {
  @Test func `onChange runs after the frame that shows the new value, with the old and the new`() {
    let number = Signal(0), log = Count()
    let renderer = TextRenderer { log.log.append("frame \($0)") }
    let host = ViewHost(Store(), renderer: renderer) {
      Text("\(number.value)").onChange(of: number.value) { log.log.append("\($0) -> \($1)") }
    }
    number.value = 1
    #expect(log.log == ["frame 0", "frame 1", "0 -> 1"])
    withExtendedLifetime(host) {}
  }

  @Test func `onChange does not run for equal values`() throws {
    let number = Signal(0), log = Count()
    let app = try TestHost(Store()) {
      Text("\(number.value)").onChange(of: number.value / 2) { log.value += 1 }
    }
    number.value = 1
    #expect((app.text, log.value) == ("1", 0))
    number.value = 2
    #expect(log.value == 1)
  }

  @Test func `initial lets onChange run when the view appears`() throws {
    let number = Signal(3), log = Count()
    let app = try TestHost(Store()) {
      Text("a").onChange(of: number.value, initial: true) { log.log.append("\($0) \($1)") }
      Text("b").onChange(of: number.value, initial: true) { log.log.append("plain") }
    }
    number.value = 4
    #expect(log.log == ["3 3", "plain", "3 4", "plain"])
    withExtendedLifetime(app) {}
  }

  @Test func `a value that came and went between two frames is no change`() throws {
    let number = Signal(0), log = Count(), clock = FrameClock.manual
    let app = try TestHost(Store(), clock: clock) {
      Text("\(number.value)").onChange(of: number.value) { log.log.append("\($0) -> \($1)") }
    }
    number.value = 1
    number.value = 0
    clock.tick()
    #expect(log.log == [])
    number.value = 1
    number.value = 2
    clock.tick()
    #expect((log.log, app.text) == (["0 -> 2"], "2"))
  }

  @Test func `what onChange writes is the next frame, and may be a change again`() throws {
    let number = Signal(0)
    let app = try TestHost(Store()) {
      Text("\(number.value)").onChange(of: number.value) { if $1 < 5 { number.value += 1 } }
    }
    number.value = 1
    #expect((app.text, app.frames) == ("5", 6))
  }
}
