/**
 * Copies `count` bytes that stand `distance` bytes before `at` to `at`. When the distance is shorter than the count, the
 * copy overlaps with its own output, and repeats: "ab" with distance 2 and count 5 continues with "ababa".
 */
export function copyMatch(output: Uint8Array, at: number, distance: number, count: number): void {
  if (distance >= count) {
    output.copyWithin(at, at - distance, at - distance + count);
    return;
  }
  for (let index = at; index < at + count; index++) {
    output[index] = output[index - distance] as number;
  }
}
