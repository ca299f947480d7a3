import { messageOf, ServerError } from "server-core/errors";
import { isJsonArray, isJsonObject, type JsonValue } from "server-core/json/json-value";
import { adaptServerfile } from "../adapt-serverfile.ts";
import { formatServerfile } from "../format/format-serverfile.ts";
import type { KnownText } from "../recent-texts.ts";
import type { TextFeatures } from "../text-features.ts";
import type { Choices } from "./choices.ts";
import { choicesFor } from "./choices-for.ts";
import { type ConfigDraft, draftText } from "./config-draft.ts";
import { inexpressible, notFound } from "./inexpressible.ts";
import { CertificateCheck } from "./mending/certificate-check.ts";
import { mendDraft } from "./mending/mend-draft.ts";
import type { TriedDraft } from "./mending/mending.ts";
import { SearchTime } from "./search-time.ts";
import { usualPortsOf } from "./sites/usual-ports.ts";
import { writeConfig } from "./write-config.ts";

const defaultFile = "Serverfile";
/**
 * How much JSON is written and read back in search of a way to write a config, about half a second of computing. A try
 * counts as so much more than its JSON; a large config gets few tries.
 */
const maxTriedBytes = 4 * 1024 * 1024;
const bytesPerTry = 2560;
const minTries = 4;
/** The share of tries and of time that ways to write it get; the rest is for mending. */
const writingShare = 0.4;

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
 * A config as a formatted serverfile that adapts to the same JSON; each text is verified before it is
 * returned. Statements with several possible places are tried in several ways, and near results are repaired.
 * The limits are {@link maxTriedBytes} of JSON, and half a second of computing. Before the repair, recent
 * source texts are compared. Other work of the process gets its turn.
 * @throws ServerError CONFIG_INEXPRESSIBLE with the path of the first part that no serverfile says, and why;
 *   or, when none of the tried texts fits, with the path where the nearest differs
 */
export async function toServerfile(
  config: JsonValue,
  features: TextFeatures,
  known: readonly KnownText[] = [],
): Promise<string> {
  if (config === null) {
    throw inexpressible("/config", "no config is loaded");
  }
  const size = JSON.stringify(config).length;
  const tries = Math.max(minTries, Math.floor(maxTriedBytes / (bytesPerTry + size)));
  const hidden = hiddenFileOf(config);
  const time = new SearchTime();
  const isOther = hidden !== undefined && hidden !== `./${defaultFile}` && hidden.includes("/");
  const files = (isOther ? [defaultFile, hidden] : [defaultFile]).map(
    (file) => new TextFile(config, file, features, time),
  );
  for (const file of files) {
    const text = await file.firstThatFits(Math.ceil(tries * writingShare));
    if (text !== undefined) {
      return text;
    }
  }
  for (const { text, filename = defaultFile } of known) {
    for (const name of new Set([defaultFile, filename])) {
      const same = new TextFile(config, name, features, time).asItWas(text);
      if (same !== undefined) {
        return same;
      }
    }
  }
  const last = files.at(-1);
  const text = await last?.mended(tries - last.tries);
  if (text === undefined) {
    throw last?.refusal ?? inexpressible("/config", "there is no way to write it");
  }
  return text;
}

/** A file that a config's text is thought to be in: its name is hidden by the file servers in it. */
class TextFile {
  readonly #config: JsonValue;
  readonly #name: string;
  /** Drafts that do not give the config. */
  readonly #tried: TriedDraft[] = [];
  readonly #time: SearchTime;
  readonly #features: TextFeatures;
  readonly #certificates: CertificateCheck;
  /** Why it is not written: the first part that no line says, or where the nearest text differs. */
  refusal: ServerError | undefined;

  constructor(config: JsonValue, name: string, features: TextFeatures, time: SearchTime) {
    this.#features = features;
    this.#time = time;
    this.#config = config;
    this.#name = name;
    this.#certificates = new CertificateCheck(config, (text) => this.#adapt(text));
  }

  /** How many texts were tried. */
  get tries(): number {
    return this.#tried.length;
  }

  /** The first of the ways to write the config that comes to it. */
  async firstThatFits(tries: number): Promise<string | undefined> {
    const hidden = this.#name === defaultFile ? `./${defaultFile}` : this.#name;
    const seen = new Set<string>();
    for (const choices of this.#choices()) {
      if (
        this.#tried.length >= tries ||
        (this.#time.hasUsed(writingShare) && this.#tried.length >= minTries)
      ) {
        break;
      }
      await this.#time.nextTurn();
      let draft: ConfigDraft;
      try {
        draft = writeConfig(this.#config, { choices, hiddenFile: hidden, features: this.#features });
      } catch (error) {
        this.#refuse(error);
        continue;
      }
      const text = draftText(draft);
      if (seen.has(text)) {
        continue;
      }
      seen.add(text);
      if (this.#tried.length > 0 && this.#certificates.scoreOf(draft) > 0) {
        this.#tried.push({ draft, result: undefined });
        continue;
      }
      const result = this.#comesTo(text);
      if (result !== undefined && firstDifference(this.#config, result, "") === undefined) {
        return this.#checked(text);
      }
      this.#tried.push({ draft, result });
    }
    return undefined;
  }

  /** The adapted result of a text; undefined for an invalid one. */
  #comesTo(text: string): JsonValue | undefined {
    try {
      return this.#adapt(text);
    } catch {
      return undefined;
    }
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
    const time = this.#time;
    const certificates = this.#certificates;
    const mending = { config, ports: usualPortsOf(config), adapt, certificates, maxTries, time };
    const { text, nearest } = await mendDraft(this.#tried, mending);
    if (text !== undefined) {
      return this.#checked(text);
    }
    const [first] = this.#tried;
    if (first !== undefined) {
      this.refusal = this.#notFound(nearest ?? draftText(first.draft));
    }
    return undefined;
  }

  /** @param nearest the text that came nearest to the config */
  #notFound(nearest: string): ServerError {
    try {
      const path = firstDifference(this.#config, this.#adapt(nearest), "/config") ?? "/config";
      return notFound(path, `the nearest differs at ${path}`);
    } catch (error) {
      return notFound("/config", `the nearest is not understood: ${messageOf(error)}`);
    }
  }

  #adapt(text: string): JsonValue {
    return adaptServerfile(Buffer.from(text), { filename: this.#name }, this.#features).result;
  }

  /**
   * The text, formatted unless that would change it: after a word with `#`, a heredoc counts as a comment.
   * @throws ServerError CONFIG_INEXPRESSIBLE when it does not come to the config
   */
  #checked(unformatted: string): string {
    const pathOf = (text: string) => firstDifference(this.#config, this.#adapt(text), "/config");
    const formatted = formatServerfile(unformatted);
    const path = pathOf(formatted);
    if (path !== undefined && pathOf(unformatted) !== undefined) {
      throw notFound(path, `the nearest differs at ${path}`);
    }
    const text = path === undefined ? formatted : unformatted;
    return this.#name === defaultFile
      ? text
      : `# The config hides its file: save this as ${this.#name}\n${text}`;
  }
}
