import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { askJson, askServer, readAnswer } from "./ask-server.ts";
import { newestVersion } from "./history.ts";
import { type PatchOperation, patchOperation } from "./json-patch.ts";
import { type JsonValue, jsonValue } from "./json-value.ts";

/** The running config and its version. */
export interface RunningConfig {
  /** The whole config; null before the first load. */
  document: JsonValue;
  /** ETag for `If-Match`. */
  etag: string;
  /** Number of the version in the history; undefined without a history. */
  version: number | undefined;
}

/**
 * Maximum number of attempts to read config and history in the same version. It ensures that a constantly changing
 * config is still shown.
 */
const maxTries = 5;

/** Query of the running config. Cached until an explicit reload, because a draft is based on it. */
export const configQuery = queryOptions({
  queryKey: ["config"],
  queryFn: async ({ signal }): Promise<RunningConfig> => {
    // The history is read before and after the config. When both reads agree, the config belongs to that version.
    for (let tries = 1; ; tries += 1) {
      const version = await newestVersion(signal);
      const response = await askServer("/config/", { signal });
      const etag = response.headers.get("etag");
      if (etag === null) {
        throw new ApiError("API_SHAPE", "the config has no Etag", { status: response.status });
      }
      const document = await readAnswer(response, jsonValue);
      if (tries === maxTries || version === (await newestVersion(signal))) {
        return { document, etag, version };
      }
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** The answer of `POST /validate`. */
const verdict = z.object({
  /** True when the server could run the config. */
  valid: z.boolean(),
  /** The error that loading the config would give; absent for a valid config. */
  error: z.optional(z.string()),
  /** Faults with their paths, at most 100. A path belongs to the admin API: `/config/apps/http`. */
  errors: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
  /** Changes to the running config; empty for none. */
  changes: z.array(patchOperation),
});

/** The server's validation of a config before it is loaded. */
export type Verdict = z.infer<typeof verdict>;

/**
 * Validates a config, and computes its changes, without loading it. An invalid config is a result with status 400, not
 * an error.
 * @param signal aborts the request when the draft has changed
 * @throws ApiError
 */
export async function validateConfig(document: JsonValue, signal?: AbortSignal): Promise<Verdict> {
  return askJson("/validate", verdict, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(document),
    accept: [400],
    signal,
  });
}

/**
 * Applies changes, all or none, if the config is still the one that was read.
 * @param operations operations with pointers from the top of the config
 * @param etag ETag of the config that the operations are based on
 * @throws ApiError API_CHANGED when another config is running
 */
export async function changeConfig(operations: readonly PatchOperation[], etag: string): Promise<void> {
  await askServer("/config/", {
    method: "PATCH",
    headers: { "Content-Type": "application/json-patch+json", "If-Match": etag },
    body: JSON.stringify(operations),
  });
}
