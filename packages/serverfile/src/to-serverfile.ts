// From config to text. Every text is verified: it is adapted again, and the result is compared with the config.
// Attempts, in this order:
//
// | attempt | needed when |
// |---|---|
// | the usual form | most configs |
// | one part in its alternative place, see to-text/choices.ts | the original text had this part in that place |
// | the recent source texts | the config was recently loaded from a serverfile |

import { setImmediate as nextTurn } from "node:timers/promises";
import { messageOf, ServerError } from "server-core/errors";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import { adaptServerfile } from "./adapt-serverfile.ts";
import { formatServerfile } from "./format/format-serverfile.ts";
import type { KnownText } from "./recent-texts.ts";
import type { TextFeatures } from "./text-features.ts";
import { choicesFor } from "./to-text/choices-for.ts";
import { inexpressible, notFound } from "./to-text/inexpressible.ts";
import { textsOf, valueAt } from "./to-text/json-lists.ts";
import { writeConfig } from "./to-text/write-config.ts";

const defaultFile = "Serverfile";
/**
 * Path of the first difference between two documents, such as `/config/apps/http`; undefined for equal documents. The
 * order of an object's members is ignored; the order of a list is not.
 */
export function firstDifference(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  path: string,
): string | undefined {
  const areBoth = (isJsonArray(a) && isJsonArray(b)) || (isJsonObject(a) && isJsonObject(b));
  if (!areBoth) {
    return a === b ? undefined : path;
  }
  const at = (value: object, key: string) =>
    Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference(at(a, key), at(b, key), `${path}/${key}`);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** The file that file servers hide, because the config came from it; if they hide several files, the last one. */
function hiddenFileOf(value: JsonValue): string | undefined {
  const hidden = valueAt(value, "handler") === "file_server" ? valueAt(value, "hide") : undefined;
  if (isJsonArray(hidden)) {
    return textsOf(hidden.slice(-1))[0];
  }
  for (const each of isJsonArray(value) || isJsonObject(value) ? Object.values(value) : []) {
    const found = hiddenFileOf(each);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/**
 * Writes a config as a formatted serverfile that adapts to the same JSON. Every text is adapted again before it is
 * returned. Several texts may result in the same config, so the usual form is tried first, then forms with one part in
 * its alternative place, then the recent source texts. Between two attempts, the thread can do other work.
 * @throws ServerError CONFIG_INEXPRESSIBLE with path and reason of the first part without a text form, or with the path
 * where the usual form differs
 */
export async function toServerfile(
  config: JsonValue,
  features: TextFeatures,
  known: readonly KnownText[] = [],
): Promise<string> {
  if (config === null) {
    throw inexpressible("/config", "no config is loaded");
  }
  const hidden = hiddenFileOf(config);
  const isOther = hidden !== undefined && hidden !== `./${defaultFile}` && hidden.includes("/");
  const files = (isOther ? [defaultFile, hidden] : [defaultFile]).map(
    (file) => new TextFile(config, file, features),
  );
  for (const file of files) {
    const text = await file.written();
    if (text !== undefined) {
      return text;
    }
  }
  for (const { text, filename = defaultFile } of known) {
    for (const name of new Set([defaultFile, filename])) {
      const same = new TextFile(config, name, features).ifSame(text);
      if (same !== undefined) {
        return same;
      }
    }
  }
  throw files.at(-1)?.refusal ?? inexpressible("/config", "there is no way to write it");
}

/** A possible file name of the text. File servers in the text hide this file. */
class TextFile {
  readonly #config: JsonValue;
  readonly #name: string;
  readonly #features: TextFeatures;
  /** Reason for the failure: the first part without a text form, or the place where the usual form differs. */
  refusal: ServerError | undefined;

  constructor(config: JsonValue, name: string, features: TextFeatures) {
    this.#config = config;
    this.#name = name;
    this.#features = features;
  }

  /** Returns the first text that adapts to exactly this config. */
  async written(): Promise<string | undefined> {
    const hiddenFile = this.#name === defaultFile ? `./${defaultFile}` : this.#name;
    const seen = new Set<string>();
    try {
      for (const choices of choicesFor(this.#config)) {
        await nextTurn();
        const text = writeConfig(this.#config, { choices, hiddenFile, writers: this.#features });
        const same = seen.has(text) ? undefined : this.ifSame(text);
        if (same !== undefined) {
          return same;
        }
        seen.add(text);
      }
    } catch (error) {
      this.#refuse(error);
    }
    return undefined;
  }

  /** Stores a reason, unless an earlier reason is stored. */
  #refuse(error: unknown): void {
    this.refusal ??= error instanceof ServerError ? error : inexpressible("/config", messageOf(error));
  }

  /**
   * Returns a text if it adapts to exactly this config. The text is formatted unless formatting changes its meaning:
   * the formatter treats a heredoc after a word with `#` as a comment.
   * @returns undefined when the text adapts to another config
   */
  ifSame(unformatted: string): string | undefined {
    const formatted = formatServerfile(unformatted);
    const text = [formatted, unformatted].find((each) => this.#comesToConfig(each));
    return text === undefined || this.#name === defaultFile
      ? text
      : `# The config hides its file: save this as ${this.#name}\n${text}`;
  }

  /** True when a text adapts to exactly this config; otherwise the reason is stored. */
  #comesToConfig(text: string): boolean {
    try {
      const { result } = adaptServerfile(Buffer.from(text), { filename: this.#name }, this.#features);
      const path = firstDifference(this.#config, result, "/config");
      if (path !== undefined) {
        this.#refuse(notFound(path, `the nearest differs at ${path}`));
      }
      return path === undefined;
    } catch (error) {
      this.#refuse(notFound("/config", `the nearest is not understood: ${messageOf(error)}`));
      return false;
    }
  }
}
