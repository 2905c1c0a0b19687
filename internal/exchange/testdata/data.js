window.BENCHMARK_DATA = {
  "lastUpdate": 1574927128603,
  "repoUrl": "https://example.com/user/repo",
  "entries": {
    "Go Benchmark": [
      {
        "commit": { "author": { "name": "A" }, "id": "1111111111111111111111111111111111111111", "message": "one", "timestamp": "2019-11-28T07:00:00Z" },
        "date": 1574927127603,
        "tool": "go",
        "benches": [ { "name": "BenchmarkFib10", "value": 400, "unit": "ns/op", "extra": "3000000 times\n8 procs" } ]
      },
      {
        "commit": { "author": { "name": "A" }, "id": "2222222222222222222222222222222222222222", "message": "two", "timestamp": "2019-11-29T07:00:00Z" },
        "date": 1575013527603,
        "tool": "go",
        "benches": [
          { "name": "BenchmarkFib10", "value": 325.5, "unit": "ns/op\t      16 B/op\t       1 allocs/op", "extra": "5000000 times\n8 procs" },
          { "name": "BenchmarkFib10 - ns/op", "value": 325.5, "unit": "ns/op", "extra": "5000000 times\n8 procs" },
          { "name": "BenchmarkFib10 - B/op", "value": 16, "unit": "B/op", "extra": "5000000 times\n8 procs" },
          { "name": "BenchmarkFib10 - allocs/op", "value": 1, "unit": "allocs/op", "extra": "5000000 times\n8 procs" },
          { "name": "BenchmarkFib20 (example.com/fib)", "value": 41653, "unit": "ns/op", "extra": "30000 times\n8 procs" },
          7
        ]
      }
    ],
    "C++ Benchmark": [
      {
        "commit": { "id": "3333333333333333333333333333333333333333" },
        "date": 1575013527700,
        "tool": "googlecpp",
        "benches": [ { "name": "BM_Copy/64", "value": 1.5, "unit": "us/iter", "extra": "iterations: 800\ncpu: 1.4 us\nthreads: 1" } ]
      }
    ],
    "Empty": []
  }
};
