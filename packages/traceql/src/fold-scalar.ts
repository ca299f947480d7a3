import type { ArithmeticOperator, Static } from "./syntax-tree.ts";

/**
 * Calculates with two numbers of the query. The result for two ints is an int: `7 / 2` is 3, but `7 / 2.0` is 3.5.
 * Without folding, each engine would have to compute the types of these numbers.
 * @returns an error text if the result cannot be computed, because of a duration, a division by zero, or a value out of
 * range
 */
export function foldedScalar(operator: ArithmeticOperator, left: Static, right: Static): Static | string {
  if (left.type === "duration" || right.type === "duration") {
    return "duration cannot be used in scalar arithmetic";
  }
  if (left.type === "int" && right.type === "int") {
    const value = intOperation(operator, left.value, right.value);
    return value === undefined ? "division by zero" : { type: "int", value };
  }
  const value = floatOperation(operator, numberOf(left), numberOf(right));
  return Number.isFinite(value) ? { type: "float", value } : "value out of range";
}

/**
 * Arithmetic of 64-bit ints; results wrap around, as in Go. A division rounds towards zero: `-7 / 2` is -3, and `-7 %
 * 2` is -1.
 * @returns undefined for a division by zero
 */
export function intOperation(operator: ArithmeticOperator, left: bigint, right: bigint): bigint | undefined {
  switch (operator) {
    case "+":
      return BigInt.asIntN(64, left + right);
    case "-":
      return BigInt.asIntN(64, left - right);
    case "*":
      return BigInt.asIntN(64, left * right);
    case "/":
      return right === 0n ? undefined : BigInt.asIntN(64, left / right);
    case "%":
      return right === 0n ? undefined : left % right;
    case "^":
      return intPower(left, right);
  }
}

/** Arithmetic of floats as in IEEE 754: `1.0 / 0` is Infinity, which the caller may treat as a fault. */
export function floatOperation(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "%":
      return left % right;
    case "^":
      return left ** right;
  }
}

/**
 * A power of ints by repeated squaring, at most 64 rounds. For an exponent below 0, the result is rounded to 0, except
 * for the bases 1 and -1.
 */
function intPower(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) {
    return base === 1n ? 1n : base === -1n ? (exponent % 2n === 0n ? 1n : -1n) : 0n;
  }
  let result = 1n;
  let factor = base;
  for (let rest = exponent; rest > 0n; rest /= 2n) {
    if (rest % 2n === 1n) {
      result = BigInt.asIntN(64, result * factor);
    }
    factor = BigInt.asIntN(64, factor * factor);
  }
  return result;
}

function numberOf(value: Static): number {
  return value.type === "int" || value.type === "float" ? Number(value.value) : Number.NaN;
}
