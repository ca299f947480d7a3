/** Unit letters in ascending order; each unit is 1,000 or 1,024 times the previous unit. */
const letters = ["k", "m", "g", "t", "p", "e"];
/** Bytes of each unit, in lower case. `k` and `kb` are 1,000, `ki` and `kib` 1,024. */
const factors = new Map<string, number>([
  ["", 1],
  ["b", 1],
]);
letters.forEach((letter, index) => {
  factors.set(letter, 1000 ** (index + 1));
  factors.set(`${letter}b`, 1000 ** (index + 1));
  factors.set(`${letter}i`, 1024 ** (index + 1));
  factors.set(`${letter}ib`, 1024 ** (index + 1));
});

/**
 * Parses a size in bytes: `10MB` is 10,000,000, `10MiB` is 10,485,760. Case is irrelevant, and commas may separate
 * digits.
 * @throws Error with the reason
 */
export function parseSize(text: string): number {
  const digits = /^[\d.,]*/.exec(text)?.[0] ?? "";
  const number = digits.replaceAll(",", "");
  if (!/^(\d+\.?\d*|\.\d+)$/.test(number)) {
    throw new Error(`parsing ${JSON.stringify(number)}: invalid syntax`);
  }
  const unit = text.slice(digits.length).trim().toLowerCase();
  const factor = factors.get(unit);
  if (factor === undefined) {
    throw new Error(`unhandled size name: ${unit}`);
  }
  const bytes = Math.trunc(Number(number) * factor);
  if (bytes >= 2 ** 64) {
    throw new Error(`too large: ${text}`);
  }
  return bytes;
}
