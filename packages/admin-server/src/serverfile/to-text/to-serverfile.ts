import { messageOf, ServerError } from "../../core/errors.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../core/json/json-value.ts";
import { adaptServerfile } from "../adapt-serverfile.ts";
import { formatServerfile } from "../format/format-serverfile.ts";
import type { KnownText } from "../recent-texts.ts";
import type { Choices } from "./choices.ts";
import { type ConfigDraft, draftText } from "./config-draft.ts";
import { inexpressible } from "./inexpressible.ts";
import { mendDraft } from "./mending/mend-draft.ts";
import { choicesFor, usualPortsOf, writeConfig } from "./write-config.ts";

const defaultFile = "Serverfile";
/** How much JSON is written and read back in search of a way to write a config: a large one gets few tries. */
const maxTriedBytes = 8 * 1024 * 1024;
const minTries = 4;
/** How many changes are tried at most, of a small config too. */
const maxMendingTries = 1000;

/** Where two documents first differ, as a path; undefined when they are the same. */
export function firstDifference(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  path: string,
): string | undefined {
  if (isJsonArray(a) && isJsonArray(b)) {
    const length = Math.max(a.length, b.length);
    for (let index = 0; index < length; index++) {
      const found = firstDifference(a[index], b[index], `${path}/${index}`);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const has = (object: typeof a) => (Object.hasOwn(object, key) ? object[key] : undefined);
      const found = firstDifference(has(a), has(b), `${path}/${key}`);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }
  return a === b ? undefined : path;
}

/** The file that file servers hide last: the one that the config came from. */
function hiddenFileOf(value: JsonValue): string | undefined {
  if (isJsonArray(value)) {
    for (const each of value) {
      const found = hiddenFileOf(each);
      if (found !== undefined) {
        return found;
      }
    }
  } else if (isJsonObject(value)) {
    if (value.handler === "file_server" && isJsonArray(value.hide)) {
      const last = value.hide.at(-1);
      return typeof last === "string" ? last : undefined;
    }
    return hiddenFileOf(Object.values(value));
  }
  return undefined;
}

/**
 * A config as a serverfile, formatted, that adapts to the same JSON: each is tried before it is given away. What may
 * be said in several places is tried in several ways, and what comes near is mended; at most {@link maxTriedBytes} of
 * JSON in all. Before mending, texts that may be the one that the config came from are looked at.
 * @throws ServerError CONFIG_INEXPRESSIBLE with the path of the first part that no serverfile says, and why
 */
export async function toServerfile(config: JsonValue, known: readonly KnownText[] = []): Promise<string> {
  if (config === null) {
    throw inexpressible("/config", "no config is loaded");
  }
  const tries = Math.max(minTries, Math.floor(maxTriedBytes / JSON.stringify(config).length));
  const hidden = hiddenFileOf(config);
  const isOther = hidden !== undefined && hidden !== `./${defaultFile}` && hidden.includes("/");
  const files = (isOther ? [defaultFile, hidden] : [defaultFile]).map((file) => new TextFile(config, file));
  for (const file of files) {
    const text = file.firstThatFits(tries);
    if (text !== undefined) {
      return text;
    }
  }
  for (const { text, filename = defaultFile } of known) {
    for (const name of new Set([defaultFile, filename])) {
      const same = new TextFile(config, name).asItWas(text);
      if (same !== undefined) {
        return same;
      }
    }
  }
  const maxTries = Math.min(maxMendingTries, tries);
  const text = await files.at(-1)?.mended(maxTries);
  if (text === undefined) {
    throw files[0]?.refusal ?? inexpressible("/config", "there is no way to write it");
  }
  return text;
}

/** A file that a config's text is thought to be in: its name is hidden by the file servers in it. */
class TextFile {
  readonly #config: JsonValue;
  readonly #name: string;
  /** What does not come to the config. */
  readonly #drafts: ConfigDraft[] = [];
  /** Why the first way to write it did not fit. */
  refusal: ServerError | undefined;

  constructor(config: JsonValue, name: string) {
    this.#config = config;
    this.#name = name;
  }

  /** The first of the ways to write the config that comes to it. */
  firstThatFits(tries: number): string | undefined {
    const hidden = this.#name === defaultFile ? `./${defaultFile}` : this.#name;
    const seen = new Set<string>();
    for (const choices of this.#choices().slice(0, tries)) {
      try {
        const draft = writeConfig(this.#config, choices, hidden);
        const text = draftText(draft);
        if (seen.has(text)) {
          continue;
        }
        seen.add(text);
        this.#drafts.push(draft);
        return this.#checked(text);
      } catch (error) {
        this.#refuse(error);
      }
    }
    return undefined;
  }

  #choices(): Choices[] {
    try {
      return choicesFor(this.#config);
    } catch (error) {
      this.#refuse(error);
      return [];
    }
  }

  /** Keeps the first reason. */
  #refuse(error: unknown): void {
    this.refusal ??= error instanceof ServerError ? error : inexpressible("/config", messageOf(error));
  }

  /** This text, formatted, if it comes to the config. */
  asItWas(text: string): string | undefined {
    try {
      return this.#checked(text);
    } catch {
      return undefined;
    }
  }

  /** A text near those of {@link firstThatFits}. */
  async mended(maxTries: number): Promise<string | undefined> {
    const config = this.#config;
    const adapt = (text: string) => this.#adapt(text);
    const text = await mendDraft(this.#drafts, { config, ports: usualPortsOf(config), adapt, maxTries });
    return text === undefined ? undefined : this.#checked(text);
  }

  #adapt(text: string): JsonValue {
    return adaptServerfile(Buffer.from(text), { filename: this.#name }).result;
  }

  /** @throws ServerError CONFIG_INEXPRESSIBLE when the text does not come to the config */
  #checked(unformatted: string): string {
    const text = formatServerfile(unformatted);
    let result: JsonValue;
    try {
      result = this.#adapt(text);
    } catch (error) {
      throw inexpressible("/config", `its text is not understood: ${messageOf(error)}`);
    }
    const path = firstDifference(this.#config, result, "/config");
    if (path !== undefined) {
      throw inexpressible(path, "what a serverfile makes of it differs there");
    }
    return this.#name === defaultFile
      ? text
      : `# The config hides its file: save this as ${this.#name}\n${text}`;
  }
}
