/** Value of each hex digit, upper or lower case, by its ASCII code; 255 for every other byte. */
export const hexValues = new Uint8Array(256).fill(255);
for (const [value, digit] of Buffer.from("0123456789abcdef").entries()) {
  hexValues[digit] = value;
}
for (const [value, digit] of Buffer.from("ABCDEF").entries()) {
  hexValues[digit] = value + 10;
}
