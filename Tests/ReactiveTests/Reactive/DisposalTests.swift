import Signals
import TestSupport
import Testing

/// The number of activities that stop each other, one after the other.
private var length: Int { runLength(usually: 100_000) }

private final class Thing: Object { @Field var count = 0 }

/// Stops an activity when it is released.
private final class Keeper {
  private let stop: () -> Void
  init(_ stop: @escaping () -> Void) { self.stop = stop }
  deinit { stop() }
}

/// Activities each of which stops the next one, on a stack of 512 KB.
@Suite struct `Disposal, depth` {
  @Test func `a cleanup cancels the next effect`() {
    onSmallStack {
      var effects: [Effect] = []
      var cleaned: [Int] = []
      for index in 0..<length {
        effects.append(
          Effect {
            onCleanup {
              cleaned.append(index)
              if index + 1 < effects.count { effects[index + 1].cancel() }
            }
          })
      }
      effects[0].cancel()
      #expect(cleaned == Array(0..<length))
    }
  }

  @Test func `a cleanup cancels the next effect before its effect runs again`() {
    onSmallStack {
      let source = Signal(0)
      var effects: [Effect] = []
      var log: [String] = []
      var cleaned = 0
      let first = Effect {
        log.append("run \(source.value) after \(cleaned)")
        onCleanup { effects[0].cancel() }
      }
      for index in 0..<length {
        effects.append(
          Effect {
            onCleanup {
              cleaned += 1
              if index + 1 < effects.count { effects[index + 1].cancel() }
            }
          })
      }
      source.value = 1
      #expect(log == ["run 0 after 0", "run 1 after \(length)"])
      first.cancel()
    }
  }

  @Test func `a cleanup cancels the next scope`() {
    onSmallStack {
      let source = Signal(0)
      var runs = 0
      var scopes: [EffectScope] = []
      var cleaned = 0
      let length = 2000
      for index in 0..<length {
        scopes.append(
          EffectScope {
            _ = Effect {
              runs += 1
              _ = source.value
            }
            onCleanup {
              cleaned += 1
              if index + 1 < scopes.count { scopes[index + 1].cancel() }
              // No effect of a scope that was cancelled runs once more.
              source.value += 1
            }
          })
      }
      runs = 0
      scopes[0].cancel()
      #expect(cleaned == length && runs == 0)
    }
  }

  @Test func `a cleanup holds the last reference to the next effect`() {
    onSmallStack {
      var cleaned = 0
      var first: Effect?
      for _ in 0..<length {
        let next = first
        first = Effect {
          onCleanup { [next] in
            withExtendedLifetime(next) { cleaned += 1 }
          }
        }
      }
      first = nil
      #expect(cleaned == length)
    }
  }

  @Test func `an effect holds the last reference to the next effect`() {
    onSmallStack {
      var cleaned = 0
      var first: Effect?
      for _ in 0..<length {
        let next = first
        first = Effect {
          withExtendedLifetime(next) { onCleanup { cleaned += 1 } }
        }
      }
      first?.cancel()
      #expect(cleaned == length)
    }
  }

  @Test func `the release of an object that a cleanup holds cancels the next effect`() {
    onSmallStack {
      var effects: [Effect] = []
      var cleaned = 0
      for index in 0..<length {
        let keeper = Keeper { if index + 1 < effects.count { effects[index + 1].cancel() } }
        effects.append(
          Effect { onCleanup { withExtendedLifetime(keeper) { cleaned += 1 } } })
      }
      effects[0].cancel()
      withExtendedLifetime(effects) {}
      effects = []
      #expect(cleaned == length)
    }
  }

  @Test func `a cleanup reads a computed that cancels the next effect`() {
    onSmallStack {
      var effects: [Effect] = []
      var cleaned = 0
      for index in 0..<length {
        let computed = Computed {
          if index + 1 < effects.count { effects[index + 1].cancel() }
          return index
        }
        effects.append(Effect { onCleanup { cleaned += computed.value == index ? 1 : 0 } })
      }
      effects[0].cancel()
      #expect(cleaned == length)
    }
  }

  @Test func `a subscriber of a subject holds the next subscription`() {
    onSmallStack {
      let subject = Subject<Int, Never>()
      var received = 0
      var first: (any Cancellable)?
      for _ in 0..<length {
        let next = first
        first = subject.sink { [next] value in withExtendedLifetime(next) { received += value } }
      }
      first?.cancel()
      first = nil
      subject.send(1)
      #expect(received == 0)
    }
  }

  @Test func `a cancelled subscription cancels the next one`() {
    onSmallStack {
      let subject = Subject<Int, Never>()
      var tokens: [any Cancellable] = []
      var cancelled = 0
      for index in 0..<length {
        tokens.append(
          subject.handleEvents(receiveCancel: {
            cancelled += 1
            if index + 1 < tokens.count { tokens[index + 1].cancel() }
          }).sink { _ in })
      }
      tokens[0].cancel()
      #expect(cancelled == length)
    }
  }

  @Test func `an observer of a property holds the next one`() {
    onSmallStack {
      let thing = Thing()
      var received = 0
      var first: (any Cancellable)?
      for _ in 0..<length {
        let next = first
        first = thing.observe(\.count) { [next] _, _ in withExtendedLifetime(next) { received += 1 }
        }
      }
      first?.cancel()
      first = nil
      thing.count = 1
      #expect(received == 0)
    }
  }

  @Test func `an observer of results holds the next one`() {
    onSmallStack {
      let store = Store()
      let results = store.results(Thing.self)
      var received = 0
      var first: (any Cancellable)?
      for _ in 0..<5000 {
        let next = first
        first = results.observe { [next] _ in withExtendedLifetime(next) { received += 1 } }
      }
      received = 0
      first = nil
      _ = try store.write { try store.add(Thing()) }
      #expect(received == 0)
    }
  }

  @Test func `an observer of commits holds the next one`() {
    onSmallStack {
      let store = Store()
      var received = 0
      var first: (any Cancellable)?
      for _ in 0..<5000 {
        let next = first
        first = store.commits.sink { [next] _ in withExtendedLifetime(next) { received += 1 } }
      }
      first = nil
      _ = try store.write { try store.add(Thing()) }
      #expect(received == 0)
    }
  }

  @Test func `a propagation observer holds the next one`() {
    onSmallStack {
      var first: PropagationObserver?
      for _ in 0..<length {
        let next = first
        first = PropagationObserver("chain") { withExtendedLifetime(next) {} }
      }
      weak let weakFirst = first
      first = nil
      #expect(weakFirst == nil)
    }
  }

  @Test func `a signal holds the next effect`() {
    onSmallStack {
      var cleaned = 0
      var first: Effect?
      for _ in 0..<length {
        let held = Signal(first)
        first = Effect {
          withExtendedLifetime(held) { onCleanup { cleaned += 1 } }
        }
      }
      first = nil
      #expect(cleaned == length)
    }
  }
}

@Suite struct `Disposal, order` {
  @Test func `a cleanup may rely on the cleanups of an effect that it cancels`() {
    var log: [String] = []
    let inner = Effect { onCleanup { log.append("inner") } }
    let outer = Effect {
      onCleanup {
        inner.cancel()
        log.append("outer")
      }
    }
    outer.cancel()
    #expect(log == ["inner", "outer"])
  }

  @Test
  func `effects that a deep cleanup cancels clean up in that order, each with what it cancels`() {
    onSmallStack {
      // A tree in preorder below a long chain: the cleanup of each node cancels its children.
      let depth = 20_000
      var log: [String] = []
      var chain: [Effect] = []
      func effect(_ name: String, _ children: [Effect] = []) -> Effect {
        Effect {
          onCleanup {
            log.append(name)
            for child in children { child.cancel() }
          }
        }
      }
      let tree = effect(
        "root",
        [
          effect("a", [effect("a1"), effect("a2")]), effect("b", [effect("b1"), effect("b2")]),
        ])
      for index in 0..<depth {
        chain.append(
          Effect {
            onCleanup {
              if index + 1 < depth { chain[index + 1].cancel() } else { tree.cancel() }
            }
          })
      }
      chain[0].cancel()
      #expect(log == ["root", "a", "a1", "a2", "b", "b1", "b2"])
    }
  }

  @Test func `an effect that a deep cleanup cancels never runs again`() {
    onSmallStack {
      let source = Signal(0)
      var effects: [Effect] = []
      var late = 0
      var isEnding = false
      for index in 0..<1000 {
        effects.append(
          Effect {
            _ = source.value
            if isEnding { late += 1 }
            onCleanup {
              if index + 1 < effects.count { effects[index + 1].cancel() }
              source.value += 1
            }
          })
      }
      isEnding = true
      effects[0].cancel()
      #expect(late == 0 && source.value == 1000)
    }
  }
}
