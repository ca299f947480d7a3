import type { BigIntStats } from "node:fs";

/** Bits of kinds in Go's `fs.FileMode`. Clients of the JSON compare them. */
const goModes: readonly (readonly [is: (stats: BigIntStats) => boolean, bits: number])[] = [
  [(stats) => stats.isDirectory(), 2 ** 31],
  [(stats) => stats.isSymbolicLink(), 2 ** 27],
  [(stats) => stats.isBlockDevice(), 2 ** 26],
  [(stats) => stats.isFIFO(), 2 ** 25],
  [(stats) => stats.isSocket(), 2 ** 24],
  [(stats) => stats.isCharacterDevice(), 2 ** 26 + 2 ** 21],
  [(stats) => (stats.mode & 0o4000n) !== 0n, 2 ** 23],
  [(stats) => (stats.mode & 0o2000n) !== 0n, 2 ** 22],
  [(stats) => (stats.mode & 0o1000n) !== 0n, 2 ** 20],
];

/** Mode of a file as Go has it: permissions in the low bits, kinds in the high ones. Source: Go, package io/fs, `FileMode` */
export function goMode(stats: BigIntStats): number {
  return goModes.reduce((mode, [is, bits]) => (is(stats) ? mode + bits : mode), Number(stats.mode & 0o777n));
}
