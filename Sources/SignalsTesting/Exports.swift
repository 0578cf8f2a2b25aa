// Who drives views in tests writes tests: `import SignalsTesting` is enough. Without this, the default arguments of our
// functions, which say where a test stands, don't compile in a file that doesn't import Testing too.

@_exported public import Testing
