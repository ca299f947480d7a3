import { classAt, isDigitBit, isWordBits } from "./characters.ts";
import type { Places } from "./detector.ts";

const [leastDigits, mostDigits] = [13, 19];
/** Possible first digits of payment cards. */
const firstDigits = "234568";

/**
 * Finds numbers of payment cards: 13 to 19 digits of a known issuer whose check digit is right. Single blanks or
 * hyphens may stand between groups of digits. Source: ISO/IEC 7812-1, annex B (Luhn)
 */
export function findCards(text: string): Places {
  const places: number[] = [];
  let index = 0;
  while (index < text.length) {
    if ((classAt(text, index) & isDigitBit) === 0) {
      index++;
      continue;
    }
    const end = startsNumber(text, index) ? endOfCard(text, index) : 0;
    if (end > 0) {
      places.push(index, end);
      index = end;
      continue;
    }
    // The next group of digits may begin a card number.
    while ((classAt(text, index) & isDigitBit) !== 0) {
      index++;
    }
  }
  return places;
}

/** True when a card number may begin at `index`: not inside a word or a fraction. */
function startsNumber(text: string, index: number): boolean {
  const isFraction = text[index - 1] === "." && (classAt(text, index - 2) & isDigitBit) !== 0;
  return (
    firstDigits.includes(text[index] as string) &&
    !isFraction &&
    (classAt(text, index - 1) & isWordBits) === 0
  );
}

/** @returns end of the longest card number that begins at `start`; 0 when there is none */
function endOfCard(text: string, start: number): number {
  let digits = "";
  let best = 0;
  let index = start;
  while (digits.length <= mostDigits) {
    const bits = classAt(text, index);
    if ((bits & isDigitBit) !== 0) {
      digits += text[index++];
      continue;
    }
    if (digits.length >= leastDigits && (bits & isWordBits) === 0 && isCard(digits)) {
      best = index;
    }
    const isSeparator = text[index] === " " || text[index] === "-";
    if (!isSeparator || (classAt(text, index + 1) & isDigitBit) === 0) {
      break;
    }
    index++;
  }
  return best;
}

/** True for a number with a known issuer and a correct check digit: `4111111111111111` belongs to Visa. */
function isCard(digits: string): boolean {
  return isOfIssuer(digits) && luhn(digits);
}

/** True when an issuer has numbers with these first digits and this length. */
function isOfIssuer(digits: string): boolean {
  const { length } = digits;
  const four = Number(digits.slice(0, 4));
  const two = Math.floor(four / 100);
  if (digits[0] === "4") {
    return length === 13 || length === 16 || length === 19;
  }
  if (two === 34 || two === 37) {
    return length === 15;
  }
  if (two === 36 || two === 38 || two === 39 || (four >= 3000 && four <= 3059)) {
    return length >= 14;
  }
  // Mastercard, JCB, Discover, UnionPay, Maestro, RuPay, Mir.
  const isOther =
    (two >= 50 && two <= 69) ||
    (four >= 2200 && four <= 2720) ||
    (four >= 3528 && four <= 3589) ||
    two === 81;
  return isOther && length >= 16;
}

/** True when the sum of the digits is a multiple of ten; every second digit from the right counts double. */
function luhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
