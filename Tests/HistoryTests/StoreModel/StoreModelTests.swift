import Signals
import TestSupport
import Testing

/// Everything that can be done to a store, at random, against a model of plain values after each operation.
///
/// Short histories of small graphs, one seed after the other. SIGNALS_STEPS says how many operations there
/// are in all, and SIGNALS_SEED where to begin: a failure tells its seed, and what was done.
@Suite struct `Store, the model of everything` {
  @Test func `a store, its observers, replicas and snapshots agree with the model at each step`()
    throws
  {
    var (steps, seed) = (0, firstSeed)
    while steps < modelSteps {
      let history = try run(seed, isTraced: false)
      steps += history.steps
      if !history.wrong.isEmpty {
        let traced = try run(seed, isTraced: true)
        let trace = traced.trace?.joined(separator: "\n") ?? ""
        Issue.record("seed \(seed): \(history.wrong)\n\(trace)")
        return
      }
      seed += 1
    }
  }

  private func run(_ seed: UInt64, isTraced: Bool) throws -> StoreHistory {
    let history = try StoreHistory(seed: seed)
    if isTraced { history.trace = [] }
    let length = 40 + history.choice.number(200)
    while history.steps < length, history.wrong.isEmpty {
      do { try history.step() } catch { history.fail("\(error)") }
    }
    history.end()
    return history
  }
}

private let modelSteps = runLength(usually: 1500)
