const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** A size for people: `512 B`, `1.5 KiB`, `23 MiB`. */
export function humanSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const text = unit === 0 || value >= 10 ? String(Math.floor(value + 0.5)) : value.toFixed(1);
  return `${text} ${units[unit]}`;
}
