// Two benchmarks on Google Benchmark: the work of one grows with the iterations.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <vector>

static void Work(benchmark::State& state, bool grows) {
  long i = 0, sum = 0;
  for (auto _ : state) {
    for (long j = 0; j < (grows ? i : 1000); j++) benchmark::DoNotOptimize(sum += j);
    i++;
  }
}

int main(int argc, char** argv) {
  long iterations = 0;
  std::vector<char*> rest;
  for (int i = 0; i < argc; i++) {
    if (!strncmp(argv[i], "--iterations=", 13)) {
      iterations = atol(argv[i] + 13);
    } else {
      rest.push_back(argv[i]);
    }
  }
  for (bool grows : {true, false}) {
    auto* b = benchmark::RegisterBenchmark(grows ? "Work/grows=yes" : "Work/grows=no",
                                           [grows](benchmark::State& s) { Work(s, grows); });
    if (iterations > 0) b->Iterations(iterations);
  }
  int n = rest.size();
  benchmark::Initialize(&n, rest.data());
  benchmark::RunSpecifiedBenchmarks();
}
