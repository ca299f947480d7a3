import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { askJson, askServer } from "./ask-server.ts";
import { isObject, type JsonValue, jsonValue } from "./json-value.ts";

/** The answer of `POST /adapt`: the config as JSON, and the warnings of the adapter. */
const answer = z.object({
  warnings: z.optional(
    z.array(
      z.object({
        /** File of the warning; absent for the text itself. */
        file: z.optional(z.string()),
        /** Line in that file, from 1. Servers that know no line send 0. */
        line: z.optional(z.number()),
        /** Directive of the warning. */
        directive: z.optional(z.string()),
        message: z.string(),
      }),
    ),
  ),
  result: jsonValue,
});

/** Config formats that the server reads besides JSON, by suffix of their media type. */
export const importFormats = ["caddyfile", "yaml", "toml", "json5"] as const;
/** One of the formats; also the part of the media type after `text/`. */
export type ImportFormat = (typeof importFormats)[number];

/** A warning of an adapter about a text. */
export interface AdapterNote {
  /** Line from 1; undefined for a warning without a line. */
  line: number | undefined;
  /** Text of the warning, preceded by the directive if the adapter names one. */
  message: string;
}

/**
 * The result of adapting a text:
 * - with `config`: the text is valid, perhaps with warnings
 * - with `refusal`: the text is invalid, and there is no config
 */
export type Adapted =
  | { config: JsonValue; warnings: readonly AdapterNote[]; refusal: undefined }
  | { config: undefined; warnings: readonly AdapterNote[]; refusal: AdapterNote };

/**
 * Finds the line number that an adapter's message names. Examples: `Serverfile:12: unknown directive` and `at line 12`
 * both give 12; a message without a line gives undefined.
 */
export function lineOf(message: string): number | undefined {
  const [, line] = /(?:Serverfile|Caddyfile):(\d+)|\bline (\d+)/.exec(message)?.filter(Boolean) ?? [];
  return line === undefined ? undefined : Number(line);
}

/**
 * Adapts a text to a config, without loading it. A refusal is a result, not an error, because a half-written text is
 * refused whenever the user pauses.
 * @param format format of `text`
 * @param signal aborts the request when the text has changed
 * @throws ApiError when the server gives no result
 */
export async function adaptText(format: ImportFormat, text: string, signal?: AbortSignal): Promise<Adapted> {
  try {
    const { result, warnings = [] } = await askJson("/adapt", answer, {
      method: "POST",
      headers: { "Content-Type": `text/${format}` },
      body: text,
      signal,
    });
    return {
      config: result,
      warnings: warnings.map(({ line, directive, message }) => ({
        line: line === 0 ? undefined : line,
        message: directive === undefined ? message : `${directive}: ${message}`,
      })),
      refusal: undefined,
    };
  } catch (error) {
    if (error instanceof ApiError && error.code === "API_REFUSED") {
      const message = error.message.replace(/^adapting config using \w+ adapter: /, "");
      const said = message.replace(/^Serverfile:\d+: /, "").replace(/, at Serverfile:\d+$/, "");
      return { config: undefined, warnings: [], refusal: { line: lineOf(message), message: said } };
    }
    throw error;
  }
}

/**
 * Writes a config in a text format, without the settings of the admin endpoint: an import keeps the running settings.
 * @throws ApiError API_REFUSED when the format cannot express the config
 */
export async function writeAs(format: ImportFormat, config: JsonValue): Promise<string> {
  const { admin: _, ...rest } = isObject(config) ? config : {};
  const response = await askServer("/adapt", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: `text/${format}` },
    body: JSON.stringify(rest),
  });
  if (!response.headers.get("content-type")?.startsWith(`text/${format}`)) {
    throw new ApiError("API_REFUSED", `the server does not write ${format}`);
  }
  return response.text();
}

/** Loads a whole config, if the running config is still the one that was read. @throws ApiError API_CHANGED */
export async function replaceConfig(config: JsonValue, etag: string): Promise<void> {
  await askServer("/config/", {
    method: "POST",
    headers: { "Content-Type": "application/json", "If-Match": etag },
    body: JSON.stringify(config),
  });
}
