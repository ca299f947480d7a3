import { messageOf, ServerError } from "../../core/errors.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../core/json/json-value.ts";
import { adaptServerfile } from "../adapt-serverfile.ts";
import { formatServerfile } from "../format/format-serverfile.ts";
import { allChoices } from "./choices.ts";
import { inexpressible } from "./inexpressible.ts";
import { writeConfig } from "./write-config.ts";

const defaultFile = "Serverfile";
/** How much JSON is written and read back in search of a way to write a config: a large one gets few tries. */
const maxTriedBytes = 4 * 1024 * 1024;
const minTries = 4;

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
 * be said in several places is tried in several ways, at most {@link maxTriedBytes} of JSON in all.
 * @throws ServerError CONFIG_INEXPRESSIBLE with the path of the first part that no serverfile says, and why
 */
export function toServerfile(config: JsonValue): string {
  if (config === null) {
    throw inexpressible("/config", "no config is loaded");
  }
  const hidden = hiddenFileOf(config);
  const isOther = hidden !== undefined && hidden !== `./${defaultFile}` && hidden.includes("/");
  let refusal: ServerError | undefined;
  const tries = Math.max(minTries, Math.floor(maxTriedBytes / JSON.stringify(config).length));
  for (const choices of allChoices().slice(0, tries)) {
    try {
      return checked(config, formatServerfile(writeConfig(config, choices, `./${defaultFile}`)), defaultFile);
    } catch (error) {
      refusal ??= error instanceof ServerError ? error : inexpressible("/config", messageOf(error));
    }
    if (isOther) {
      try {
        const text = formatServerfile(writeConfig(config, choices, hidden));
        return checked(config, `# The config hides its file: save this as ${hidden}\n${text}`, hidden);
      } catch {
        // the refusal of the usual name counts
      }
    }
  }
  throw refusal ?? inexpressible("/config", "there is no way to write it");
}

/** @throws ServerError CONFIG_INEXPRESSIBLE when the text does not come to the config */
function checked(config: JsonValue, text: string, filename: string): string {
  let result: JsonValue;
  try {
    ({ result } = adaptServerfile(Buffer.from(text), { filename }));
  } catch (error) {
    throw inexpressible("/config", `its text is not understood: ${messageOf(error)}`);
  }
  const path = firstDifference(config, result, "/config");
  if (path !== undefined) {
    throw inexpressible(path, "what a serverfile makes of it differs there");
  }
  return text;
}
