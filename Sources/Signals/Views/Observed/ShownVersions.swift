// Which versions of live rows are on screen: what the offsets of an intent mean.
//
// State: `versions`, for each source of rows the versions that the scopes of a host last read of it, and `sources`
// what each scope read; `reading`, the scope whose body runs, and its node: only what that reads itself counts,
// not what a computed reads for it.
//
// Order of events: a body, or the data of a `ForEach`, begins, which forgets what it read the last time; it reads,
// which is noted; intents ask. Between two frames a renderer may have rows evaluated that read a later
// version than what stands around them. So the version that counts is that of the oldest scope: the
// `ForEach` that shows the rows is older than any row.

/// The versions of live rows that a host shows.
final class ShownVersions: RowWitness {
  /// Results, or sections, or one of these.
  struct Source: Hashable {
    let id: ObjectIdentifier
    let group: Int?
  }

  private struct Versions {
    /// Those of most sources are read by one scope.
    var scope: ScopeID
    var version: LiveVersion
    var others: [ScopeID: LiveVersion] = [:]
  }

  /// The scope whose body runs.
  @safe private struct Reading {
    let scope: ScopeID
    let node: NodePointer?
    var last: Source?
  }

  private var versions: [Source: Versions] = [:]
  private var sources: [ScopeID: [Source]] = [:]
  private var reading: Reading?

  /// Notes what `body` reads, in the evaluation of a scope whose last one was forgotten.
  func read(by scope: Scope, _ body: () -> Void) {
    let outer = reading
    reading = unsafe Reading(scope: scope.id, node: scope.node)
    let turn = unsafe Turn.current
    let witness = unsafe turn.pointee.witness
    unsafe turn.pointee.witness = Unmanaged<AnyObject>.passUnretained(self)
    body()
    unsafe turn.pointee.witness = witness
    reading = outer
  }

  override func didRead(_ source: AnyObject, _ group: Int?, _ version: LiveVersion) {
    guard let reading, unsafe Node.reader == reading.node else { return }
    let source = Source(id: ObjectIdentifier(source), group: group)
    // A loop reads the same rows again and again, and nothing is written meanwhile.
    if reading.last == source { return }
    self.reading?.last = source
    let scope = reading.scope
    guard var known = versions.removeValue(forKey: source) else {
      versions[source] = Versions(scope: scope, version: version)
      sources[scope, default: []].append(source)
      return
    }
    if known.scope != scope, known.others.updateValue(version, forKey: scope) == nil {
      sources[scope, default: []].append(source)
    }
    versions[source] = known
  }

  /// Forgets what a scope read.
  func forget(_ scope: Scope) {
    if sources.isEmpty { return }
    guard let read = sources.removeValue(forKey: scope.id) else { return }
    for source in read { forget(source, scope.id) }
  }

  private func forget(_ source: Source, _ scope: ScopeID) {
    guard var known = versions.removeValue(forKey: source) else { return }
    if known.scope == scope {
      guard let next = known.others.popFirst() else { return }
      (known.scope, known.version) = next
    } else {
      known.others[scope] = nil
    }
    versions[source] = known
  }

  /// The version of a source that is on screen, if anything of it is.
  func version(of source: AnyObject, group: Int? = nil, in host: ViewHost) -> LiveVersion? {
    guard let known = versions[Source(id: ObjectIdentifier(source), group: group)] else {
      return nil
    }
    var (scope, version) = (known.scope, known.version)
    // A row that waits for a renderer shows nothing of what it read.
    var isShown = host.scopes[scope]?.isEvaluated ?? false
    for (other, read) in known.others where !isShown || other < scope {
      guard host.scopes[other]?.isEvaluated ?? false else { continue }
      (scope, version, isShown) = (other, read, true)
    }
    return version
  }
}
