// A mallopt that reports success and does nothing, for tests: to be preloaded.
extern "C" int mallopt(int, int) noexcept { return 1; }
