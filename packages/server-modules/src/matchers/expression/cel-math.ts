import { type CelFunc, CelScalar, type CelValue, celFunc, celUint, isCelList, listType } from "@bufbuild/cel";
import { compareValues } from "./cel-values.ts";

const { INT, UINT, DOUBLE, BOOL, DYN } = CelScalar;
/** Bits of whole numbers in CEL. */
const bits = 64;

/**
 * Checks that a value fits into a signed 64-bit integer. Only the result of `abs` for the smallest integer does not
 * fit.
 */
function checkedInt(value: bigint): bigint {
  if (BigInt.asIntN(bits, value) !== value) {
    throw new Error("integer overflow");
  }
  return value;
}

/** Rounds halves away from zero. */
const roundHalfAway = (value: number) => Math.sign(value) * Math.round(Math.abs(value));

/** A shift by 64 or more gives 0. */
function shiftOf(count: bigint): bigint {
  if (count < 0n) {
    throw new Error(`bit shift offset is negative: ${count}`);
  }
  return count > BigInt(bits) ? BigInt(bits) : count;
}

/** Bitwise functions of two integers, signed or unsigned. */
function onBits(name: string, apply: (a: bigint, b: bigint) => bigint): CelFunc[] {
  return [
    celFunc(name, [INT, INT], INT, (a, b) => BigInt.asIntN(bits, apply(a, b))),
    celFunc(name, [UINT, UINT], UINT, (a, b) => celUint(BigInt.asUintN(bits, apply(a.value, b.value)))),
  ];
}

/** Shifts by an `int`. Vacated bits become 0, even for signed integers. */
function shifting(name: string, apply: (a: bigint, count: bigint) => bigint): CelFunc[] {
  return [
    celFunc(name, [INT, INT], INT, (a, count) =>
      BigInt.asIntN(bits, apply(BigInt.asUintN(bits, a), shiftOf(count))),
    ),
    celFunc(name, [UINT, INT], UINT, (a, count) =>
      celUint(BigInt.asUintN(bits, apply(a.value, shiftOf(count)))),
    ),
  ];
}

/**
 * Defines the function that finds the largest or smallest entry of a list. `sign`: 1 for the largest, -1 for the
 * smallest.
 */
function extreme(name: string, sign: 1 | -1): CelFunc {
  return celFunc(name, [listType(DYN)], DYN, (values) => {
    const [first, ...rest] = isCelList(values) ? [...values] : [];
    if (first === undefined) {
      throw new Error(`${name}(list) argument must not be empty`);
    }
    return rest.reduce<CelValue>((best, each) => (compareValues(each, best) * sign > 0 ? each : best), first);
  });
}

/** Internal functions of the macros `math.greatest` and `math.least`. Their argument is a list. */
export const extremeFunctions = { greatest: "math.@max", least: "math.@min" } as const;

/** The functions `math.*`. Source: the CEL extensions of Caddy 2.11 */
export const mathFunctions: readonly CelFunc[] = [
  celFunc("math.ceil", [DOUBLE], DOUBLE, Math.ceil),
  celFunc("math.floor", [DOUBLE], DOUBLE, Math.floor),
  celFunc("math.round", [DOUBLE], DOUBLE, roundHalfAway),
  celFunc("math.trunc", [DOUBLE], DOUBLE, Math.trunc),
  celFunc("math.isInf", [DOUBLE], BOOL, (value) => Math.abs(value) === Number.POSITIVE_INFINITY),
  celFunc("math.isNaN", [DOUBLE], BOOL, Number.isNaN),
  celFunc("math.isFinite", [DOUBLE], BOOL, Number.isFinite),
  celFunc("math.abs", [INT], INT, (value) => checkedInt(value < 0n ? -value : value)),
  celFunc("math.abs", [UINT], UINT, (value) => value),
  celFunc("math.abs", [DOUBLE], DOUBLE, Math.abs),
  celFunc("math.sign", [INT], INT, (value) => BigInt(compareValues(value, 0n))),
  celFunc("math.sign", [UINT], UINT, ({ value }) => celUint(value === 0n ? 0n : 1n)),
  celFunc("math.sign", [DOUBLE], DOUBLE, Math.sign),
  celFunc("math.sqrt", [INT], DOUBLE, (value) => Math.sqrt(Number(value))),
  celFunc("math.sqrt", [UINT], DOUBLE, ({ value }) => Math.sqrt(Number(value))),
  celFunc("math.sqrt", [DOUBLE], DOUBLE, Math.sqrt),
  ...onBits("math.bitAnd", (a, b) => a & b),
  ...onBits("math.bitOr", (a, b) => a | b),
  ...onBits("math.bitXor", (a, b) => a ^ b),
  celFunc("math.bitNot", [INT], INT, (value) => ~value),
  celFunc("math.bitNot", [UINT], UINT, ({ value }) => celUint(BigInt.asUintN(bits, ~value))),
  ...shifting("math.bitShiftLeft", (a, count) => a << count),
  ...shifting("math.bitShiftRight", (a, count) => a >> count),
  extreme(extremeFunctions.greatest, 1),
  extreme(extremeFunctions.least, -1),
];
