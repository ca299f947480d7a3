import { messageOf } from "../errors.ts";
import { adapterError, adapterText, type ConfigAdapter, jsonAt } from "./config-adapter.ts";
import { findInexpressible, type TextForms } from "./find-place.ts";
import { toJsonValue } from "./to-json-value.ts";

const forms: TextForms = {
  skipped: [
    { opens: '"""', ends: /\\[\s\S]|"""/g },
    { opens: "'''", ends: /'''/g },
    { opens: '"', ends: /\\.|"/g },
    { opens: "'", ends: /'/g },
    { opens: "#", ends: /\n/g },
  ],
  odd: /[+-]?(?<![\w-])(?:inf|nan)(?![\w-]|\s*[=.\]])/,
};

/** TOML 1.0. Dates become texts; an empty text is an empty document. Source: toml.io/en/v1.0.0 */
export const tomlAdapter: ConfigAdapter = {
  name: "toml",
  fileEndings: [".toml"],
  async adapt(bytes, options) {
    const { parse, TomlError } = await import("smol-toml"); // loaded on first use: commands must start fast
    const text = adapterText(bytes);
    let value: unknown;
    try {
      value = parse(text);
    } catch (error) {
      const place = error instanceof TomlError ? { line: error.line, column: error.column } : undefined;
      const [reason = ""] = messageOf(error).split("\n", 1);
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
