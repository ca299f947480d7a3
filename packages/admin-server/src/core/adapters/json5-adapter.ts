import { messageOf } from "../errors.ts";
import { adapterError, adapterText, type ConfigAdapter, jsonAt } from "./config-adapter.ts";
import { findInexpressible, type TextForms } from "./find-place.ts";
import { toJsonValue } from "./to-json-value.ts";

interface Json5Error extends SyntaxError {
  readonly lineNumber?: number;
  readonly columnNumber?: number;
}

const forms: TextForms = {
  skipped: /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\//,
  odd: /[+-]?(?<![\w$])(?:Infinity|NaN)(?![\w$]|\s*:)/,
};

/** JSON with comments, trailing commas and unquoted keys. Source: json5.org */
export const json5Adapter: ConfigAdapter = {
  name: "json5",
  fileEndings: [".json5"],
  async adapt(bytes, options) {
    const { default: JSON5 } = await import("json5"); // when it is needed: commands are to start fast
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
    return { result, warnings: [] };
  },
};
