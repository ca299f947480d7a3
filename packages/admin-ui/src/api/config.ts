import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { askJson, askServer, readAnswer } from "./ask-server.ts";
import { newestVersion } from "./history.ts";
import { type PatchOperation, patchOperation } from "./json-patch.ts";
import { type JsonValue, jsonValue } from "./json-value.ts";

/** The running config, with its version. */
export interface RunningConfig {
  /** The whole config; null before the first one was loaded. */
  document: JsonValue;
  /** For `If-Match`. */
  etag: string;
  /** Its number in the history; undefined where none is kept. */
  version: number | undefined;
}

/**
 * Limit of reads until config and history show the same version. With more, a server whose config changes
 * all the time would never be shown.
 */
const maxTries = 5;

/** The running config. Cached until an explicit reload, because a draft is based on it. */
export const configQuery = queryOptions({
  queryKey: ["config"],
  queryFn: async ({ signal }): Promise<RunningConfig> => {
    // The history is read before and after the config: when both reads agree, the config between them is of
    // that version.
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
  /** Whether the server could run the config. */
  valid: z.boolean(),
  /** The server's answer to a load of this config; absent for a valid config. */
  error: z.optional(z.string()),
  /** Faults by place, at most 100. A path is one of the admin API: `/config/apps/http`. */
  errors: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
  /** Changes of the running config that a load would make; empty for none. */
  changes: z.array(patchOperation),
});

/** The server's verdict on a config before it is loaded. */
export type Verdict = z.infer<typeof verdict>;

/**
 * Asks what the server would say to a config, and what it would change. Nothing changes. A refused config
 * is an answer with 400, and no error.
 * @param signal ends the request when the draft has changed
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
 * Makes changes, all or none, if the config is still the one that was read.
 * @param operations pointers from the top of the config
 * @param etag       of the config that the operations were made on
 * @throws ApiError API_CHANGED when another config runs by now
 */
export async function changeConfig(operations: readonly PatchOperation[], etag: string): Promise<void> {
  await askServer("/config/", {
    method: "PATCH",
    headers: { "Content-Type": "application/json-patch+json", "If-Match": etag },
    body: JSON.stringify(operations),
  });
}
