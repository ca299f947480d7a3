/** The ranges of `private_ranges`, in order. */
export const privateRanges: readonly string[] = [
  "192.168.0.0/16",
  "172.16.0.0/12",
  "10.0.0.0/8",
  "127.0.0.1/8",
  "fd00::/8",
  "::1",
];

/** The ranges of a word; `private_ranges` means all private ranges. */
export function withPrivateRanges(word: string): readonly string[] {
  return word === "private_ranges" ? privateRanges : [word];
}

/** Replaces the private ranges by the word `private_ranges`. */
export function rangeWords(ranges: readonly string[]): string[] {
  const start = ranges.indexOf(privateRanges[0] ?? "");
  if (start === -1 || privateRanges.some((range, index) => ranges[start + index] !== range)) {
    return [...ranges];
  }
  const rest = ranges.slice(start + privateRanges.length);
  return [...ranges.slice(0, start), "private_ranges", ...rangeWords(rest)];
}
