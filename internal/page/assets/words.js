"use strict";
// Figures and units as the rest of memcost words them: see internal/report/format.go.

const digits = v => {
  if (v === Math.trunc(v) && Math.abs(v) < 1e6) return String(v);
  const s = Number(v.toPrecision(3));
  return Math.abs(s) >= 1e6 || Math.abs(s) < 1e-4
    ? s.toExponential()
    : s.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.abs(s)))));
};
const scaled = (v, steps) => {
  const a = Math.abs(Number(v.toPrecision(3))) * (1 + 1e-9);
  let [size, unit] = steps[0];
  for (const [s, u] of steps) if (a >= s) [size, unit] = [s, u];
  return digits(v / size) + " " + unit;
};
const bytes = v =>
  scaled(v, [
    [1, "B"],
    [1024, "KiB"],
    [2 ** 20, "MiB"],
    [2 ** 30, "GiB"],
    [2 ** 40, "TiB"],
  ]);
const quantity = (v, unit) => {
  switch (unit) {
    case "":
      return digits(v) + "×";
    case "sec/op":
    case "sec":
      return v === 0
        ? "0"
        : scaled(v, [
            [1e-12, "ps"],
            [1e-9, "ns"],
            [1e-6, "µs"],
            [1e-3, "ms"],
            [1, "s"],
          ]);
    case "B/sec":
    case "B/s":
      return scaled(v, [
        [1, "B/s"],
        [1e3, "kB/s"],
        [1e6, "MB/s"],
        [1e9, "GB/s"],
      ]);
    case "B/op":
      return bytes(v);
    case "allocs/op":
      return digits(v);
  }
  return digits(v) + " " + unit;
};
const axisName = unit =>
  ({"": "ratio", "sec/op": "time per operation", "B/sec": "throughput", "B/op": "bytes per operation"})[unit] ?? unit;
