/** Maximum number of digits after the decimal point that JavaScript can write. */
const maxDigits = 100;

/**
 * True when a number lies exactly halfway between two numbers with this many digits after the decimal point. With
 * negative `digits`, that many digits before the point are rounded too.
 */
function isTie(value: number, digits: number): boolean {
  const size = Math.abs(value);
  if (digits >= 0) {
    return (size * 2 ** (digits + 1)) % 2 === 1;
  }
  const unit = 10n ** BigInt(-digits);
  return Number.isInteger(size) && (BigInt(size) % unit) * 2n === unit;
}

/** Makes an odd last digit even. JavaScript rounds a tie away from zero, but Go rounds it to an even last digit. */
function toEven(text: string): string {
  return text.replace(/^([-.\d]*)([13579])(?=e|$)/, (_all, before, last) => before + (Number(last) - 1));
}

function fixed(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21) {
    return BigInt(value) + (digits > 0 ? `.${"0".repeat(digits)}` : "");
  }
  const text = value.toFixed(digits);
  return isTie(value, digits) ? toEven(text) : text;
}

function exponential(value: number, digits: number): string {
  const text = value.toExponential(digits);
  return isTie(value, digits - exponentOf(text)) ? toEven(text) : text;
}

function exponentOf(text: string): number {
  return Number(/e([+-]\d+)$/.exec(text)?.[1] ?? 0);
}

/** Pads the exponent to at least two digits. */
function withExponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

/** `%g`: the shorter of both forms, without zeros at the end. */
function shortest(value: number, precision: number | undefined): string {
  const digits = precision === undefined ? undefined : Math.max(1, precision);
  const scientific = digits === undefined ? value.toExponential() : exponential(value, digits - 1);
  const exponent = exponentOf(scientific);
  const withoutZeros = (text: string) => text.replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, "");
  if (exponent < -4 || exponent >= (digits ?? 21)) {
    return withExponent(withoutZeros(scientific));
  }
  return digits === undefined
    ? String(value)
    : withoutZeros(fixed(value, Math.min(maxDigits, Math.max(0, digits - 1 - exponent))));
}

/**
 * Writes a number as Go's verbs `e`, `f` and `g` do: `goFloat(0.125, "f", 2)` is `0.12`.
 *
 * @param precision digits after the decimal point; for `g`, significant digits. undefined: 6; for `g`, as many as
 * identify the number. At most 100
 */
export function goFloat(value: number, kind: string, precision: number | undefined): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "NaN" : value > 0 ? "Inf" : "-Inf";
  }
  const digits = Math.min(maxDigits, precision ?? 6);
  switch (kind) {
    case "e":
      return withExponent(exponential(value, digits));
    case "f":
      return fixed(value, digits);
    default:
      return shortest(value, precision === undefined ? undefined : digits);
  }
}
