// Scales of axes and round tick values. Pure functions.

/** A scale from `[low, high]` to `[from, to]` pixels. On a log scale, values below 1 are drawn at the bottom. */
export function scale([low, high], [from, to], log = false) {
  const turn = log ? (value) => Math.log10(Math.max(value, 1)) : (value) => value;
  const [start, end] = [turn(low), turn(high)];
  const size = end - start || 1;
  const place = (value) => from + ((turn(value) - start) / size) * (to - from);
  place.ticks = (most) => (log ? logTicks(Math.max(low, 1), high, most) : ticks(low, high, most));
  return place;
}

/** Round numbers between two ends: steps of 1, 2 or 5 times a power of ten. */
export function ticks(low, high, most) {
  const step = roundStep((high - low || 1) / Math.max(most, 1));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => tidy((first + index) * step));
}

/** End of an axis: the next round number above a value. */
export function roundUp(value, most = 5) {
  const step = roundStep((value || 1) / most);
  return tidy(Math.ceil((value || 1) / step - 1e-9) * step);
}

function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least * 0.999999) ?? 10);
}

function logTicks(low, high, most) {
  const decades = Math.log10(high / low);
  const factors = decades < most / 3 ? [1, 2, 5] : [1];
  const found = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    found.push(...factors.map((factor) => factor * power).filter((value) => value >= low && value <= high));
  }
  return found;
}

const tidy = (value) => Number(value.toPrecision(12));
