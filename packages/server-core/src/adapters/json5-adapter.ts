import { messageOf } from "../errors.ts";
import {
  type AdaptOptions,
  adapterError,
  adapterText,
  type ConfigAdapter,
  jsonAt,
} from "./config-adapter.ts";
import { findInexpressible, matchesOutside, placeAt, type TextForms } from "./find-place.ts";
import { isLossyInteger, lossyIntegerReason } from "./lossy-integer.ts";
import { toJsonValue } from "./to-json-value.ts";

interface Json5Error extends SyntaxError {
  /** Line of the fault, from 1; absent for a text that ends too early. */
  readonly lineNumber?: number;
  /** Column of the fault, from 1. */
  readonly columnNumber?: number;
}

const forms: TextForms = {
  skipped: [
    { opens: '"', ends: /\\[\s\S]|"/g },
    { opens: "'", ends: /\\[\s\S]|'/g },
    { opens: "//", ends: /[\n\r\u2028\u2029]/g },
    { opens: "/*", ends: /\*\//g },
  ],
  odd: /[+-]?(?<![\w$])(?:Infinity|NaN)(?![\w$]|\s*:)/,
};

/**
 * Integers that a double may not represent exactly, up to the largest double. Digits of names, fractions and exponents
 * are excluded.
 */
const longInteger =
  /[+-]?(?<![\p{ID_Continue}$.])(?:0[xX][\da-fA-F]{14,256}|\d{16,309})(?![\p{ID_Continue}$.])/u;

/** @throws ServerError CONFIG_ADAPTER at the first integer that a double cannot represent */
function refuseLossyIntegers(text: string, options: AdaptOptions): void {
  if (!longInteger.test(text)) {
    return;
  }
  for (const { 0: integer, index } of matchesOutside(text, forms.skipped, longInteger)) {
    if (isLossyInteger(integer, Number(integer.replace(/^[+-]/, "")))) {
      throw adapterError(lossyIntegerReason(integer), placeAt(text, index), options);
    }
  }
}

/** JSON with comments, trailing commas and unquoted keys. Source: json5.org */
export const json5Adapter: ConfigAdapter = {
  name: "json5",
  fileEndings: [".json5"],
  async adapt(bytes, options) {
    const { default: JSON5 } = await import("json5"); // loaded on first use: commands must start fast
    const text = adapterText(bytes);
    let value: unknown;
    try {
      value = JSON5.parse(text);
    } catch (error) {
      const { lineNumber, columnNumber } = error as Json5Error;
      const reason = messageOf(error)
        .replace(/^JSON5: /, "")
        .replace(/ at \d+:\d+$/, "");
      const place =
        lineNumber === undefined || columnNumber === undefined
          ? undefined
          : { line: lineNumber, column: columnNumber };
      throw adapterError(reason, place, options, error);
    }
    const result = jsonAt(
      () => toJsonValue(value),
      () => findInexpressible(text, forms),
      options,
    );
    refuseLossyIntegers(text, options);
    return { result, warnings: [] };
  },
};
