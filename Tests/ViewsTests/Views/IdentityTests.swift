import Signals
import SignalsTesting
import TestSupport
import Testing

/// What makes a view the same view: where it stands, what it is, and the user's id.
@Suite struct `Views, identity` {
  struct Counter: View {
    let name: String
    @State var taps = 0
    var body: Element {
      Button("\(name) \(taps)", id: name) { taps += 1 }
    }
  }

  @Test func `the branches of a condition have states of their own, dropped when left`() throws {
    let isFirst = Signal(true)
    let app = try TestHost(Store()) {
      if isFirst.value { Counter(name: "a") } else { Counter(name: "a") }
    }
    try app.tap("a")
    #expect(app.text == "[a 1]")
    isFirst.value = false
    #expect(app.text == "[a 0]")
    isFirst.value = true
    #expect(app.text == "[a 0]")
  }

  @Test func `what is beside a condition keeps its state while the condition changes`() throws {
    let isShown = Signal(false)
    let app = try TestHost(Store()) {
      if isShown.value { Text("shown") }
      Counter(name: "a")
    }
    try app.tap("a")
    isShown.value = true
    #expect(app.text == "shown\n[a 1]")
  }

  @Test func `each case of a switch is a place of its own`() throws {
    let which = Signal(0)
    let app = try TestHost(Store()) {
      switch which.value {
      case 0: Counter(name: "a")
      case 1: Counter(name: "a")
      default: Text("none")
      }
    }
    try app.tap("a")
    which.value = 1
    #expect(app.text == "[a 0]")
    which.value = 2
    #expect(app.text == "none")
  }

  @Test func `optional content comes and goes`() throws {
    let name = Signal<String?>(nil)
    let app = try TestHost(Store()) {
      name.value.map { Counter(name: $0) }
      Text("end")
    }
    #expect(app.text == "end")
    name.value = "a"
    try app.tap("a")
    #expect(app.text == "[a 1]\nend")
    name.value = "b"
    #expect(app.text == "[b 1]\nend", "the same view with another input")
    name.value = nil
    #expect(app.text == "end")
  }

  @Test func `another type in the same place is another view`() throws {
    struct Other: View {
      @State var text = "other"
      var body: Element { Text(text) }
    }
    let isOther = Signal(false)
    let app = try TestHost(Store()) {
      isOther.value ? Other().element : Counter(name: "a").element
    }
    try app.tap("a")
    isOther.value = true
    #expect(app.text == "other")
    isOther.value = false
    #expect(app.text == "[a 0]")
  }

  @Test func `another id is another view, in a container too`() throws {
    let id = Signal(1)
    let app = try TestHost(Store()) {
      Counter(name: "a").id(id.value)
      Column { Counter(name: "b") }.id(id.value)
      Counter(name: "c")
    }
    for name in ["a", "b", "c"] { try app.tap(name) }
    #expect(app.text == "[a 1]\n[b 1]\n[c 1]")
    id.value = 2
    #expect(app.text == "[a 0]\n[b 0]\n[c 1]")
  }

  @Test func `an id distinguishes elements of one place, and is no search for elsewhere`() throws {
    let names = Signal(["a", "b"])
    let app = try TestHost(Store()) {
      for name in names.value { Counter(name: name).id(name) }
    }
    try app.tap("b")
    names.value = ["a", "c", "b"]
    #expect(app.text == "[a 0]\n[c 0]\n[b 0]", "a loop keeps states by position, ForEach by id")
  }

  @Test func `siblings of one type are told apart by position`() throws {
    let number = Signal(0)
    let app = try TestHost(Store()) {
      Text("\(number.value)")
      Counter(name: "a")
      Row { Counter(name: "b") }
      Row { Counter(name: "c") }
    }
    try app.tap("b")
    number.value = 1
    #expect(app.text == "1\n[a 0]\n[b 1]\n[c 0]")
  }

  @Test func `many children found out of order are all found`() throws {
    let order = Signal(Array(0..<20))
    let app = try TestHost(Store()) {
      for index in 0..<20 {
        if order.value.firstIndex(of: index)! % 2 == 0 { Counter(name: "n\(index)") }
      }
    }
    try app.tap("n4")
    try app.tap("n18")
    order.value[0...1] = [1, 0]
    #expect(app.text.contains("[n4 1]") && app.text.contains("[n18 1]"))
    #expect(!app.exists("n0") && app.exists("n1"))
    order.value = Array((0..<20).reversed())
    order.value = Array(0..<20)
    #expect(app.text.contains("[n4 0]"), "state goes with the view")
  }
}
