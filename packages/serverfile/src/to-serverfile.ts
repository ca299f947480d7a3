// From config to text. No writer is trusted: each text is adapted again and compared with the config. Tried in order:
//
// | try | when it is needed |
// |---|---|
// | the usual way | most configs |
// | one thing in its other place, see to-text/choices.ts | the config came from a text that said it so |
// | the recent source texts | the config was loaded as a serverfile a moment ago |

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
 * Where two documents first differ, as a path such as `/config/apps/http`; undefined when they are the same.
 * The order of an object's members does not count; the order of a list does.
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

/** The file that file servers hide last: the one that the config came from. */
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
 * A config as a formatted serverfile that adapts to the same JSON: every text is adapted before it is given. A config does
 * not determine the text. It is written in the usual way, then with one part in its alternative place, and finally
 * the recent source texts are compared. Other work of the thread gets its turn between two of these.
 * @throws ServerError CONFIG_INEXPRESSIBLE with the path of the first part that no serverfile says, and why; or with the
 *   path where the text of the usual way differs
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

/** A file that a config's text is thought to be in: its name is hidden by the file servers in it. */
class TextFile {
  readonly #config: JsonValue;
  readonly #name: string;
  readonly #features: TextFeatures;
  /** Why it is not written: the first part that no line says, or where the text of the usual way differs. */
  refusal: ServerError | undefined;

  constructor(config: JsonValue, name: string, features: TextFeatures) {
    this.#config = config;
    this.#name = name;
    this.#features = features;
  }

  /** The text of the first way to write whose result is the config. */
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

  /** Keeps the first reason. */
  #refuse(error: unknown): void {
    this.refusal ??= error instanceof ServerError ? error : inexpressible("/config", messageOf(error));
  }

  /**
   * Returns a text when it adapts to the config. It is formatted unless formatting would change it: after a
   * word with `#`, a heredoc counts as a comment.
   * @returns undefined when it adapts to another config
   */
  ifSame(unformatted: string): string | undefined {
    const formatted = formatServerfile(unformatted);
    const text = [formatted, unformatted].find((each) => this.#comesToConfig(each));
    return text === undefined || this.#name === defaultFile
      ? text
      : `# The config hides its file: save this as ${this.#name}\n${text}`;
  }

  /** Whether a text adapts to the config; if not, the reason is kept. */
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
