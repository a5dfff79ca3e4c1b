// Number formats. Pure functions.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** 12345 as 12,345. */
export const count = (value) => (value === null || value === undefined ? "–" : whole.format(Math.round(value)));

/** 12345 as 12.3K. */
export const brief = (value) => short.format(value);

/** 0.953 as 95 %; a value below 1 is never shown as 100 %. */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const rounded = Math.round(share * 100);
  if (rounded === 100 && share < 1) return "99 %";
  return `${rounded} %`;
}

/** 210.52 as 211, 2.13 as 2.1. */
export const rate = (value) =>
  value === null || value === undefined ? "–" : value >= 20 ? count(value) : value.toFixed(1);

/** A signed number with two digits, with a real minus. */
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

/** 5400 seconds as 1 h 30 min. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

/** Interval as "82 % to 100 %", or "at least" and "at most" for open bounds. */
export function span([low, , high], format) {
  if (low === null && high === null) return "unknown";
  if (high === null) return `at least ${format(low)}`;
  if (low === null) return `at most ${format(high)}`;
  return `${format(low)} to ${format(high)}`;
}

/** 2026-01-31T12:00:00.000Z as 2026-01-31 12:00 UTC. */
export const moment = (time) => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** 1 form, 2 forms. */
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** http_404 as "http 404". */
export const words = (name) => name.replaceAll("_", " ");
