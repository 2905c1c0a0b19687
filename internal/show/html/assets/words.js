"use strict";
// Formats figures and units in the same way as the rest of memcost: see internal/base/units.

const digits = v => {
  if (v === Math.trunc(v) && Math.abs(v) < 1e6) return String(v);
  const s = Number(v.toPrecision(3));
  return Math.abs(s) >= 1e6 || Math.abs(s) < 1e-4
    ? s.toExponential()
    : s.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.abs(s)))));
};
const stepOf = (v, steps) => {
  const a = Math.abs(Number(v.toPrecision(3))) * (1 + 1e-9);
  return steps.findLast(([s]) => a >= s) ?? steps[0];
};
const scaled = (v, steps) => {
  const [size, unit] = stepOf(v, steps);
  return digits(v / size) + " " + unit;
};
const timeSteps = [
  [1e-12, "ps"],
  [1e-9, "ns"],
  [1e-6, "µs"],
  [1e-3, "ms"],
  [1, "s"],
];
// Two digits, as a sentence has them.
const brief = v => (Math.abs(v) >= 100 ? String(Math.round(v)) : v.toPrecision(2));
// The bounds of a time as they stand beside it: ±2%, or the ends of a wide interval.
function intervalOf(v, lo, hi, scale = 1) {
  if (!finite(lo) || !finite(hi) || lo <= 0) return "";
  const half = Math.max(hi / v - 1, 1 - lo / v);
  if (half <= 0.5) return `±${half < 0.01 ? (100 * half).toFixed(1) : Math.round(100 * half)}%`;
  const [size] = stepOf(v * scale, timeSteps);
  return `[${brief((lo * scale) / size)}, ${brief((hi * scale) / size)}]`;
}
const bytes = v => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  while (units.length > 1 && Math.abs(v) >= 1023.5) {
    v /= 1024;
    units.shift();
  }
  return `${digits(v)} ${units[0]}`;
};
const quantity = (v, unit) => {
  switch (unit) {
    case "":
      return digits(v) + "×";
    case "sec/op":
    case "sec":
      return v === 0
        ? "0"
        : scaled(v, timeSteps);
    case "B/sec":
    case "B/s":
      return scaled(v, [
        [1, "B/s"],
        [1e3, "kB/s"],
        [1e6, "MB/s"],
        [1e9, "GB/s"],
      ]);
    case "ops/s":
      return scaled(v, [
        [1, "op/s"],
        [1e3, "kop/s"],
        [1e6, "Mop/s"],
        [1e9, "Gop/s"],
      ]);
    case "B/op":
      return bytes(v);
    case "allocs/op":
      return digits(v);
    case "ratio":
      return digits(v) + "×";
  }
  if (unit === "bytes" || unit.endsWith("-bytes") || unit.endsWith("-B")) return bytes(v);
  if (unit.endsWith("-sec") || unit.endsWith("-sec/op")) return quantity(v, "sec");
  if (unit.endsWith("-share")) return digits(100 * v) + "%";
  return digits(v) + " " + unit;
};
const axisName = unit =>
  ({
    "": "ratio",
    "sec/op": "time per operation",
    "B/sec": "throughput",
    "ops/s": "throughput",
    "B/op": "bytes per operation",
  })[unit] ?? unit.replace(/-(sec|B)$/, "");
