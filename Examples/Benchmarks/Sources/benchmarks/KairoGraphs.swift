import Signals

/// The graphs of the kairo suite, in the library's words.
enum KairoGraphs {
  /// Keeps the effects that `body` makes for as long as the iteration that it returns.
  private static func build(_ body: () -> () -> Void) -> () -> Void {
    var iteration = {}
    let scope = EffectScope { iteration = body() }
    let iterate = iteration
    return { withExtendedLifetime(scope) { iterate() } }
  }

  /// The second of five computeds is constant, so that nothing behind it runs again.
  static func avoidable(_ report: Report) -> () -> Void {
    build {
      let head = Signal(0)
      let runs = Counter()
      let c1 = Computed { head.value }
      let c2 = Computed {
        use(c1.value)
        return 0
      }
      let c3 = Computed {
        busy()
        runs.count += 1
        return c2.value + 1
      }
      let c4 = Computed { c3.value + 2 }
      let c5 = Computed { c4.value + 3 }
      _ = Effect {
        use(c5.value)
        busy()
        runs.count += 1
      }
      return {
        batch { head.value = 1 }
        report.expect(c5.value == 6, "avoidablePropagation: \(c5.value), not 6")
        for index in 0..<1000 {
          batch { head.value = index }
          report.expect(c5.value == 6, "avoidablePropagation: \(c5.value), not 6")
        }
        report.expect(runs.count == 2, "avoidablePropagation: \(runs.count) runs, not 2")
      }
    }
  }

  /// Fifty chains of two computeds and an effect.
  static func broad(_ report: Report) -> () -> Void {
    build {
      let head = Signal(0)
      let runs = Counter()
      var made: [Computed<Int>] = []
      for index in 0..<50 {
        let first = Computed { head.value + index }
        let second = Computed { first.value + 1 }
        _ = Effect {
          use(second.value)
          runs.count += 1
        }
        made.append(second)
      }
      let last = made[49]
      return {
        batch { head.value = 1 }
        runs.count = 0
        for index in 0..<50 {
          batch { head.value = index }
          report.expect(last.value == index + 50, "broadPropagation: \(last.value) at \(index)")
        }
        report.expect(runs.count == 2500, "broadPropagation: \(runs.count) runs, not 2500")
      }
    }
  }

  /// One chain of fifty computeds.
  static func deep(_ report: Report) -> () -> Void {
    build {
      let head = Signal(0)
      let runs = Counter()
      var end = Computed { head.value + 1 }
      for _ in 1..<50 {
        let previous = end
        end = Computed { previous.value + 1 }
      }
      let last = end
      _ = Effect {
        use(last.value)
        runs.count += 1
      }
      return {
        batch { head.value = 1 }
        runs.count = 0
        for index in 0..<50 {
          batch { head.value = index }
          report.expect(last.value == index + 50, "deepPropagation: \(last.value) at \(index)")
        }
        report.expect(runs.count == 50, "deepPropagation: \(runs.count) runs, not 50")
      }
    }
  }

  /// Five computeds of one signal, and their sum.
  static func diamond(_ report: Report) -> () -> Void {
    build {
      let head = Signal(0)
      let runs = Counter()
      let branches = (0..<5).map { _ in Computed { head.value + 1 } }
      let sum = Computed { branches.map { $0.value }.reduce(0, +) }
      _ = Effect {
        use(sum.value)
        runs.count += 1
      }
      return {
        batch { head.value = 1 }
        report.expect(sum.value == 10, "diamond: \(sum.value), not 10")
        runs.count = 0
        for index in 0..<500 {
          batch { head.value = index }
          report.expect(sum.value == (index + 1) * 5, "diamond: \(sum.value) at \(index)")
        }
        report.expect(runs.count == 500, "diamond: \(runs.count) runs, not 500")
      }
    }
  }

  /// A hundred signals gathered in one dictionary and taken apart again.
  static func mux(_ report: Report) -> () -> Void {
    build {
      let heads = (0..<100).map { _ in Signal(0) }
      let runs = Counter()
      // Every evaluation counts as a change, as that of an object that is compared by identity.
      let gathered = Computed(isEqual: { _, _ in false }) {
        Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0.offset, $0.element.value) })
      }
      let split = heads.indices.map { index in Computed { gathered.value[index] ?? -1 } }
        .map { one in Computed { one.value + 1 } }
      for one in split {
        _ = Effect {
          use(one.value)
          runs.count += 1
        }
      }
      return {
        runs.count = 0
        for factor in 1...2 {
          for index in 0..<10 {
            batch { heads[index].value = index * factor }
            let value = split[index].value
            report.expect(value == index * factor + 1, "mux: \(value) at \(index), \(factor)")
          }
        }
        // The first signal is never changed, and a change reaches one effect.
        report.expect(runs.count == 18, "mux: \(runs.count) runs, not 18")
      }
    }
  }

  /// One computed that reads its signal thirty times.
  static func repeated(_ report: Report) -> () -> Void {
    build {
      let head = Signal(0)
      let runs = Counter()
      let sum = Computed {
        var sum = 0
        for _ in 0..<30 { sum += head.value }
        return sum
      }
      _ = Effect {
        use(sum.value)
        runs.count += 1
      }
      return {
        batch { head.value = 1 }
        report.expect(sum.value == 30, "repeatedObservers: \(sum.value), not 30")
        runs.count = 0
        for index in 0..<100 {
          batch { head.value = index }
          report.expect(sum.value == index * 30, "repeatedObservers: \(sum.value) at \(index)")
        }
        report.expect(runs.count == 100, "repeatedObservers: \(runs.count) runs, not 100")
      }
    }
  }

  /// The sum over a signal and a chain behind it; a tenth computed is never read.
  static func triangle(_ report: Report) -> () -> Void {
    build {
      let head = Signal(0)
      let runs = Counter()
      let unread = Counter()
      var chain = [Computed { head.value + 1 }]
      for index in 1..<10 {
        let previous = chain[index - 1]
        chain.append(
          Computed {
            if index == 9 { unread.count += 1 }
            return previous.value + 1
          })
      }
      let links = chain
      let sum = Computed {
        (0..<10).map { $0 == 0 ? head.value : links[$0 - 1].value }.reduce(0, +)
      }
      _ = Effect {
        use(sum.value)
        runs.count += 1
      }
      return {
        batch { head.value = 1 }
        report.expect(sum.value == 55, "triangle: \(sum.value), not 55")
        runs.count = 0
        for index in 0..<100 {
          batch { head.value = index }
          report.expect(sum.value == 45 + index * 10, "triangle: \(sum.value) at \(index)")
        }
        report.expect(runs.count == 100, "triangle: \(runs.count) runs, not 100")
        report.expect(unread.count == 0, "triangle: what nobody reads ran \(unread.count) times")
      }
    }
  }

  /// A computed that changes sides with every write.
  static func unstable(_ report: Report) -> () -> Void {
    build {
      let head = Signal(0)
      let runs = Counter()
      let double = Computed { head.value * 2 }
      let inverse = Computed { -head.value }
      let sum = Computed {
        var sum = 0
        for _ in 0..<20 { sum += head.value % 2 != 0 ? double.value : inverse.value }
        return sum
      }
      _ = Effect {
        use(sum.value)
        runs.count += 1
      }
      return {
        batch { head.value = 1 }
        report.expect(sum.value == 40, "unstable: \(sum.value), not 40")
        runs.count = 0
        for index in 0..<100 { batch { head.value = index } }
        report.expect(runs.count == 100, "unstable: \(runs.count) runs, not 100")
      }
    }
  }

  /// The benchmark of the mol framework: little graph, much computing.
  static func mol(_ report: Report) -> () -> Void {
    struct Item {
      let x: Int
    }
    return build {
      var results: [Int] = []
      let a = Signal(0)
      let b = Signal(0)
      let c = Computed { a.value % 2 + b.value % 2 }
      // Not Equatable, so that every evaluation counts as a change.
      let d = Computed { (0..<5).map { Item(x: $0 + a.value % 2 - b.value % 2) } }
      let e = Computed { hard(c.value + a.value + d.value[0].x) }
      let f = Computed {
        let x = d.value[2].x
        return hard(x != 0 ? x : b.value)
      }
      let g = Computed {
        let c = c.value
        return c + (c != 0 ? c : e.value % 2) + d.value[4].x + f.value
      }
      _ = Effect { results.append(hard(g.value)) }
      _ = Effect { results.append(g.value) }
      _ = Effect { results.append(hard(f.value)) }
      var index = 0
      return {
        index += 1
        results.removeAll(keepingCapacity: true)
        batch {
          b.value = 1
          a.value = 1 + index * 2
        }
        batch {
          a.value = 2 + index * 2
          b.value = 2
        }
        use(results)
      }
    }
  }

  @inline(never)
  private static func hard(_ number: Int) -> Int { number + fibonacci(16) }

  /// Without checks for overflow, which the other languages' versions don't have either.
  @inline(never)
  private static func fibonacci(_ number: Int) -> Int {
    number < 2 ? 1 : fibonacci(number &- 1) &+ fibonacci(number &- 2)
  }
}

/// What takes a while.
@inline(never)
func busy() {
  for index in 0..<100 { use(index) }
}
