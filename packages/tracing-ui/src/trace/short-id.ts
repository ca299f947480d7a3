/** Hex digits of a whole trace id, 128 bits. */
const wholeDigits = 32;
/** Hex digits of a 64-bit id, as Zipkin's and older Jaeger clients make them. */
const shortDigits = 16;

/**
 * Splits a 64-bit trace id into leading zeros and digits: the store keeps every id with 32 digits.
 * @param id 1 to 32 hex digits
 * @returns undefined for an id of 128 bits
 */
export function shortId(id: string): { zeros: string; digits: string } | undefined {
  const digits = id.replace(/^0+/, "").padStart(shortDigits, "0");
  return digits.length > shortDigits ? undefined : { zeros: "0".repeat(wholeDigits - shortDigits), digits };
}
