import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { askJson, askServer } from "./ask-server.ts";
import { isObject, type JsonValue, jsonValue } from "./json-value.ts";

const answer = z.object({
  warnings: z.optional(
    z.array(
      z.object({
        file: z.optional(z.string()),
        line: z.optional(z.number()),
        directive: z.optional(z.string()),
        message: z.string(),
      }),
    ),
  ),
  result: jsonValue,
});

/** Formats of a config that the server reads besides JSON, by the end of their media type. */
export const importFormats = ["caddyfile", "yaml", "toml", "json5"] as const;
export type ImportFormat = (typeof importFormats)[number];

/** A remark of an adapter on a text. */
export interface AdapterNote {
  /** From 1; undefined where it is of no line. */
  line: number | undefined;
  message: string;
}

/** The result of a text: a config with warnings, or a refusal. */
export type Adapted =
  | { config: JsonValue; warnings: readonly AdapterNote[]; refusal: undefined }
  | { config: undefined; warnings: readonly AdapterNote[]; refusal: AdapterNote };

/** The line that a refusal is about, as adapters write it. */
export function lineOf(message: string): number | undefined {
  const [, line] = /(?:Serverfile|Caddyfile):(\d+)|\bline (\d+)/.exec(message)?.filter(Boolean) ?? [];
  return line === undefined ? undefined : Number(line);
}

/** Asks what a text becomes. Nothing changes. @throws ApiError */
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
 * Writes a config in a format, without its settings of the admin endpoint: an import keeps those that run.
 * @throws ApiError API_REFUSED where the format cannot say all of it
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

/** Runs a whole config, if what runs is still what was read. @throws ApiError API_CHANGED */
export async function replaceConfig(config: JsonValue, etag: string): Promise<void> {
  await askServer("/config/", {
    method: "POST",
    headers: { "Content-Type": "application/json", "If-Match": etag },
    body: JSON.stringify(config),
  });
}
