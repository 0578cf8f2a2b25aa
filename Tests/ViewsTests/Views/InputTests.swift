import Signals
import SignalsTesting
import TestSupport
import Testing

/// Which inputs of a child count as the same, so that its body need not run.
@Suite struct `Views, inputs` {
  /// Shows a child made anew whenever the parent is evaluated, and counts the child's bodies.
  private func bodies(of child: @escaping (Count) -> some View) throws -> Int {
    let number = Signal(0), count = Count()
    let app = try TestHost(Store()) {
      Text("\(number.value)")
      child(count)
    }
    number.value = 1
    #expect(app.text.hasPrefix("1"))
    return count.value
  }

  struct Holding<Input>: View {
    let input: Input
    let count: Count
    var body: Element {
      let _ = count.value += 1
      Text("child")
    }
  }

  private final class Equatable1: Equatable {
    static func == (lhs: Equatable1, rhs: Equatable1) -> Bool { true }
  }

  private struct Plain { var number = 0 }

  private protocol Shape {}
  private struct Square: Shape, Equatable { var side = 1 }
  private final class Blob: Shape {}

  @Test func `equatable values are compared`() throws {
    #expect(try bodies { Holding(input: "same", count: $0) } == 1)
    #expect(try bodies { Holding(input: [1, 2], count: $0) } == 1)
    #expect(try bodies { Holding(input: Int?.none, count: $0) } == 1)
    var next = 0
    #expect(
      try bodies {
        next += 1
        return Holding(input: next, count: $0)
      } == 2)
  }

  @Test func `references are compared by identity, equatable or not, optional or not`() throws {
    let shared = Equatable1(), blob = Blob()
    #expect(try bodies { Holding(input: shared, count: $0) } == 1)
    #expect(try bodies { Holding(input: Optional(blob), count: $0) } == 1)
    #expect(try bodies { Holding(input: Equatable1(), count: $0) } == 2)
    #expect(try bodies { Holding(input: Optional(Equatable1()), count: $0) } == 2)
  }

  @Test func `existentials are compared by what they hold`() throws {
    let blob = Blob()
    #expect(try bodies { Holding(input: Square() as any Shape, count: $0) } == 1)
    #expect(try bodies { Holding(input: blob as any Shape, count: $0) } == 1)
    #expect(try bodies { Holding(input: Blob() as any Shape, count: $0) } == 2)
  }

  @Test func `closures, and values that can't be compared, count as different`() throws {
    #expect(try bodies { Holding(input: { 1 }, count: $0) } == 2)
    #expect(try bodies { Holding(input: Plain(), count: $0) } == 2)
    #expect(try bodies { Holding(input: (1, 2), count: $0) } == 2)
  }

  @Test func `weak and unowned references are compared by identity`() throws {
    struct Weak: View {
      weak var one: Count?
      weak var other: (any AnyObject)?
      let count: Count
      var body: Element {
        let _ = count.value += 1
        Text(one == nil ? "gone" : "there")
      }
    }
    struct Unowned: View {
      unowned let one: Count
      let count: Count
      var body: Element {
        let _ = count.value += 1
        Text("\(one.value)")
      }
    }
    let shared = Count()
    #expect(try bodies { Unowned(one: shared, count: $0) } == 1)
    #expect(try bodies { Weak(one: shared, other: nil, count: $0) } <= 2)
    var gone: Count? = Count()
    #expect(
      try bodies { count in
        defer { gone = nil }
        return Weak(one: gone, other: gone, count: count)
      } == 2)
  }

  @Test func `a view that is an enum or a class is compared as a whole`() throws {
    enum Either: View {
      case one(Int), other
      var body: Element {
        switch self {
        case .one(let number): Text("one \(number)")
        case .other: Text("other")
        }
      }
    }
    final class Reference: View {
      let text: String
      init(_ text: String) { self.text = text }
      var body: Element { Text(text) }
    }
    let number = Signal(0)
    let app = try TestHost(Store()) {
      number.value == 2 ? Either.other : Either.one(number.value)
      Reference("\(number.value)")
    }
    #expect(app.text == "one 0\n0")
    number.value = 1
    #expect(app.text == "one 1\n1")
    number.value = 2
    #expect(app.text == "other\n2")
  }

  @Test func `wrappers are compared by their slot, bindings by what they lead to`() throws {
    struct Wrapped: View {
      @State private var state = 0
      @StateObject private var object = Count()
      @Environment(\.isEnabled) private var isEnabled
      @ObservedResults(Note.self) private var notes
      @Binding var text: String
      let count: Count
      init(_ text: Binding<String>, _ count: Count) {
        _text = text
        self.count = count
      }
      var body: Element {
        let _ = count.value += 1
        Text("child")
      }
    }
    let text = Signal("text")
    #expect(try bodies { Wrapped(text.binding, $0) } == 1)
    #expect(try bodies { Wrapped(.constant("text"), $0) } == 2)
    let note = Note()
    @ObservedObject var observed = note
    let binding = $observed
    #expect(try bodies { Wrapped(binding.title, $0) } == 1)
    #expect(
      try bodies { Wrapped(ObservedObject(wrappedValue: Note()).projectedValue.title, $0) } == 2)
  }

  @Test func `a wrapper of the user's is compared by what it holds`() throws {
    struct Search: DynamicProperty {
      @State var query = ""
      var limit = 10
    }
    #expect(try bodies { Holding(input: Search(), count: $0) } == 1)
    var limit = 0
    #expect(
      try bodies {
        limit += 1
        return Holding(input: Search(limit: limit), count: $0)
      } == 2)
  }
}
