// A mallopt that says yes and does nothing, for tests: to be preloaded.
extern "C" int mallopt(int, int) noexcept { return 1; }
