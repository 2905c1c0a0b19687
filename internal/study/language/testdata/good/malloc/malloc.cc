// What an allocation costs. Runs alone.
#include <benchmark/benchmark.h>

// An empty pair of calls.
//
//memcost:floor
static void BM_Nothing(benchmark::State& state) {
}
BENCHMARK(BM_Nothing);

// memcost:claim lost op:malloc ns/op > 1

//memcost:claim E7 op:calloc size:/^3355/ ns/op <= 20us # constant
static void BM_Malloc(::benchmark::State &state) {
  char s[] = "//memcost:claim no";  //memcost:claim no behind code
}

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("Walk/after=memset", walk);
}
BENCHMARK_MAIN();
