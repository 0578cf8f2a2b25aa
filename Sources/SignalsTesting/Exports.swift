// Tests that drive views always need Testing, so `import SignalsTesting` is sufficient. Without
// this export, the default arguments of our functions that capture the source location don't
// compile in a file that doesn't import Testing as well.

@_exported public import Testing
