const durationUnits = [
  ["d", 86_400e9],
  ["h", 3600e9],
  ["m", 60e9],
  ["s", 1e9],
  ["ms", 1e6],
  ["us", 1e3],
  ["ns", 1],
] as const;

/** Writes nanoseconds as a duration: `1m30s`, `250ms`, `0`; -1 second is `-1s`. */
export function durationWord(nanoseconds: number): string {
  let left = Math.abs(nanoseconds);
  let word = nanoseconds < 0 ? "-" : "";
  if (left === 0) {
    return "0";
  }
  for (const [unit, size] of durationUnits) {
    const count = Math.floor(left / size);
    if (count > 0) {
      word += `${count}${unit}`;
      left -= count * size;
    }
  }
  return word;
}

const sizeUnits = [
  ["GiB", 1024 ** 3],
  ["GB", 1000 ** 3],
  ["MiB", 1024 ** 2],
  ["MB", 1000 ** 2],
  ["KiB", 1024],
  ["KB", 1000],
] as const;

/** Writes bytes with the largest unit that needs no fraction: `10MB`, `4KiB`, `512`. */
export function sizeWord(bytes: number): string {
  const unit = sizeUnits.find(([, size]) => bytes >= size && bytes % size === 0);
  return unit === undefined ? `${bytes}` : `${bytes / unit[1]}${unit[0]}`;
}
