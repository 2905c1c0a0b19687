#include <benchmark/benchmark.h>
#include <cstring>
#include <cmath>
#include <functional>
#include <string>
#include <vector>
#include <set>
static void BM_Memcpy(benchmark::State& st) {
  std::vector<char> a(st.range(0)), b(st.range(0));
  for (auto _ : st) { memcpy(b.data(), a.data(), a.size()); benchmark::DoNotOptimize(b.data()); benchmark::ClobberMemory(); }
  st.SetBytesProcessed(int64_t(st.iterations()) * st.range(0));
}
BENCHMARK(BM_Memcpy)->ArgName("size")->Arg(64)->Arg(4096);
template <class T> static void BM_SetInsert(benchmark::State& st) {
  for (auto _ : st) { std::set<T> s; for (int i = 0; i < st.range(0); i++) s.insert(T(i)); benchmark::DoNotOptimize(s); }
  st.SetItemsProcessed(int64_t(st.iterations()) * st.range(0));
  st.SetLabel("a tree");
}
BENCHMARK_TEMPLATE(BM_SetInsert, std::function<int()>*)->Args({8})->Unit(benchmark::kMicrosecond);
static void BM_Threads(benchmark::State& st) { int x = 0; for (auto _ : st) benchmark::DoNotOptimize(x++); st.counters["Foo bar"] = 3.5; }
BENCHMARK(BM_Threads)->Threads(2)->UseRealTime();
static void BM_Process(benchmark::State& st) { for (auto _ : st) { std::string s(100, 'x'); benchmark::DoNotOptimize(s); } }
BENCHMARK(BM_Process)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
static void BM_NotANumber(benchmark::State& st) { for (auto _ : st) {} st.counters["nan"] = NAN; st.counters["inf"] = INFINITY; st.counters["neg"] = -INFINITY; }
BENCHMARK(BM_NotANumber);
static void BM_Fails(benchmark::State& st) { st.SkipWithError("no such device"); for (auto _ : st) {} }
BENCHMARK(BM_Fails);
static void BM_Capture(benchmark::State& st, std::string) { for (auto _ : st) {} }
BENCHMARK_CAPTURE(BM_Capture, int string test, std::string("abc"));
static void BM_Complex(benchmark::State& st) { for (auto _ : st) { int x = 0; for (int i = 0; i < st.range(0); i++) benchmark::DoNotOptimize(x += i); } st.SetComplexityN(st.range(0)); }
BENCHMARK(BM_Complex)->Range(64, 512)->Complexity();
BENCHMARK_MAIN();
