import Foundation
import Observation
import RegexBuilder
import Signals
import SignalsObservation
import SignalsReplay
import SignalsSync
import SignalsTerminal
import SignalsTesting
import Testing

// Every public type, named without its module beside what users import: this file compiling is the test.
private enum Names {
  typealias A1 = (Signal<Int>, Computed<Int>, Effect, EffectScope, any Cancellable)
  typealias A2 = (EndlessChainError, DependencyGraph, Explanation)
  typealias P1 = (any Publisher<Int, Never>, any Subscriber<Int, Never>, Completion<Never>)
  typealias P2 = (Subject<Int, Never>, CurrentValueSubject<Int, Never>, Just<Int>)
  typealias P3 = (Empty<Int, Never>, Fail<Int, Never>, Deferred<Just<Int>>, Future<Int, Never>)
  typealias P4 = (Merge<Int, Never>, CombineLatest<Int, Never>, Zip<Int, Never>)
  typealias P5 = (Every<ContinuousClock>, AsyncValues<Int, Never>, BufferingPolicy)
  typealias P6 = (ManualClock, any KeyPathObservable)
  typealias B1 = (Object, ObjectID, Field<Int>, PrimaryKey<Int>, Indexed<Int>, Link<Object>)
  typealias B2 = (Links<Object>, List<Object>, Inverse<Object>, Backlinks<Object>, DeleteRule)
  typealias B3 = (Store, StoreError, ChangeSet, ObjectChange, Origin, Commits)
  typealias B4 = (TypedChange<Object>, ChangeConflictError, GraphDecodingError)
  typealias B5 = (UndoHistory, Coalescing)
  typealias B6 = (EmbeddedObject, ConflictPolicy, any KeyPathObservable, Draft<Object>)
  typealias B7 = (DraftConflict, ConflictReport, Snapshot, SnapshotObjects)
  typealias B8 = (ChangeConflict, Counter<Int>, Latest<Int>)
  typealias C = (Results<Object>, CollectionChange<Int>, FrameRows, SortDirection)
  typealias C0 = (Sections<Int, Object>, SectionsChange<Int, Int>, SectionRows<Int, Int>, RowPath)
  typealias C4 = (PositionPair<RowPath>, SectionOrder, RowSort<Object>)
  typealias C5 = (RowSlice<Object>, RowIterator<Object>, Sections<Int, Projection<Object>>)
  typealias C1 = (Projection<Object>, Projected<Object, Int>, ProjectedWritable<Object, Int>)
  typealias C2 = (ProjectedList<Projection<Object>>, Results<Projection<Object>>)
  typealias C3 = (ProjectionChange<Projection<Object>>, any ProjectionProtocol)
  typealias D1 = (any View, ViewHost, ScopeID, Frame, any Renderer, FrameClock, HostError)
  typealias D2 = (State<Int>, Binding<Int>, Environment<Int>, EnvironmentValues)
  typealias D3 = (any EnvironmentKey.Type, any DynamicProperty)
  typealias D4 = (ObservedObject<Object>, StateObject<Object>, ObservedResults<Object>)
  typealias D5 = (BoundResults<Object>, ObjectBindings<Object>)
  typealias D9 = (ObservedSections<Int, Object>, BoundSections<Int, Object>)
  typealias D10 = (BoundSection<Int, Object>, ObservedResults<Projection<Object>>)
  typealias D11 = (BoundResults<Projection<Object>>, Sections<Int, Object>.Section)
  typealias D6 = (DraftObject<Object>, DraftBindings<Object>, any Validating, Validation)
  typealias D7 = (FieldError, InvalidDraftError, Restored<Int>, RestoredValue<Int>, Focus)
  typealias D8 = (Loader<Int>, Loadable<Int>, LoadingProgress)
  typealias E1 = (Element, ElementBuilder, any ElementContent, ElementKind, ElementValue)
  typealias E2 = (ElementAction, ElementInput, DrawnElement, AsyncIntent, TextRenderer)
  typealias E3 = (
    Text, Row, Column, Section, ListBox, ForEach, ForEachBinding, Button, TextField, Toggle, Picker
  )
  typealias E4 = (Divider, ProgressBar, ErrorText)
  typealias E5 = (KeyPress, any IntentObserver, IntentEvent, HeldIntent)
  typealias E8 = (StoreCommit, StoreCommit.Kind, StoreCommit.Cause, PropagationObserver)
  typealias E6 = (Table, TableColumn, TableRow, ElementLook, ElementStyle, ElementAlignment)
  typealias E7 = (ElementColor, ScrollBox)
  typealias F = (TestHost, TestHostError, Monkey, FaultPlan, InjectedFault, SeededRandom)
  typealias F1 = (SteppingActor, LeavesNothing, StoreContents)
  typealias T1 = (TerminalApp, TerminalScreen, TerminalRenderer, TerminalDevice, TerminalError)
  typealias T2 = (TerminalCapabilities, ColorDepth, TerminalInput, TerminalKey, TerminalMouse)
  typealias T3 = (TerminalQuit, TerminalCopy)
  typealias R = (IntentLog, IntentLog.Entry, ReplayError, ReplayedError)
  typealias S = (StoreFile, StoreFileError)
  typealias S2 = (RecoveryReport, RecoveryReport.Loss)
  typealias S1 = (Replica, SyncServer, SharedClass, Joined, PresentUser, PresenceError)
  typealias G = (ObservableValue<Int>, Observed<Int>)
}
