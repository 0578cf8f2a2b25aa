import Signals
import TestSupport
import Testing

/// A class whose author has forgotten `@Field` at one property.
private final class Forgetful: Object {
  @Field var name = ""
  var title = ""
  var shout: String { name + "!" }
  var length: Int {
    get { name.count }
    set { name = String(repeating: "x", count: newValue) }
  }
}

/// A property that nobody can follow is no error, but a debug build says it once.
@Suite struct `Graph, a forgotten @Field` {
  private static let hint = "reads no property that notifies of changes: is `@Field` missing there?"

  #if DEBUG
    @Test func `a binding to a plain property says so when it is written`() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        @ObservedObject var object = Forgetful()
        $object.title.wrappedValue = "a"
        $object.title.wrappedValue = "b"
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        text == "Signals: a binding to \\Forgetful.title \(Self.hint)\n",
        "once, whatever is written")
    }

    @Test func `so does an observer of one`() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let object = Forgetful()
        let token = object.observe(\.title) { _, _ in }
        token.cancel()
      }
      expectError(result, "Signals: an observer of \\Forgetful.title \(Self.hint)")
    }

    @Test func `so do results that are sorted by one`() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let store = Store()
        let results = store.results(Forgetful.self).sorted(by: \.title)
        try store.add([Forgetful(), Forgetful()])
        _ = results.count
      }
      expectError(
        result,
        "Signals: the results of Forgetful, sorted by \\Forgetful.title, \(Self.hint)")
    }
  #endif

  @Test func `fields, and values computed from them, are no mistake`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let store = Store()
      let object = ObservedObject(wrappedValue: Forgetful())
      try store.add(object.wrappedValue)
      object.projectedValue.name.wrappedValue = "a"
      object.projectedValue.length.wrappedValue = 3
      let tokens = [
        object.wrappedValue.observe(\.name) { _, _ in },
        object.wrappedValue.observe(\.shout) { _, _ in },
        object.wrappedValue.observe(\.length) { _, _ in },
      ]
      _ = store.results(Forgetful.self).sorted(by: \.shout).count
      _ = store.results(Forgetful.self).sorted(by: \.objectID).count
      tokens.forEach { $0.cancel() }
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }
}
