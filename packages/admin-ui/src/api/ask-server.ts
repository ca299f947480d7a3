import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { notePresence } from "./server-presence.ts";

/** Timeout of a read in milliseconds. A shorter limit would treat a busy server as unreachable. */
const readTimeoutMs = 15_000;
/**
 * Timeout of a change in milliseconds: the server first starts the new config and drains the old one.
 */
const changeTimeoutMs = 120_000;

/** The body of a refusal: `{"error": "unknown field \"lisen\""}`. */
const refusal = z.object({ error: z.string() });

/** Options of a request besides its path. */
export interface Question {
  /** Default: GET. Other methods have the longer timeout of changes. */
  method?: "GET" | "POST" | "PATCH";
  /** Header fields; default: none. */
  headers?: Record<string, string>;
  /** Body as text; absent for none. */
  body?: string;
  /** Error statuses that are returned as answers. */
  accept?: readonly number[];
  /** Aborts the request. The abort error is thrown unchanged. */
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request to the admin API of this page's server, and records whether it responded.
 * @param path path from the root: `/config/`
 * @throws ApiError `API_UNREACHABLE` without a response or after the timeout, else depending on the status
 */
export async function askServer(path: string, question: Question = {}): Promise<Response> {
  const { method = "GET", headers = {}, body, accept = [], signal } = question;
  const limit = AbortSignal.timeout(method === "GET" ? readTimeoutMs : changeTimeoutMs);
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      cache: "no-store",
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    notePresence(false);
    throw new ApiError("API_UNREACHABLE", error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
  notePresence(true);
  if (response.ok || accept.includes(response.status)) {
    return response;
  }
  throw ApiError.ofStatus(response.status, await refusalText(response));
}

/** Like {@link askServer}, and validates the JSON of the response. @throws ApiError also API_SHAPE */
export async function askJson<T extends z.ZodMiniType>(
  path: string,
  schema: T,
  question: Question = {},
): Promise<z.infer<T>> {
  return readAnswer(await askServer(path, question), schema);
}

/** A page of a list, and the total count. */
export interface ListPart<Entry> {
  /** Entries of this page, in the server's order. */
  entries: readonly Entry[];
  /** Total count of entries, from the header field `X-Total-Count`. */
  total: number;
}

/** Like {@link askJson}, for a paged list. A server that sends the whole list sends no total count. @throws ApiError */
export async function askList<T extends z.ZodMiniType>(
  path: string,
  entry: T,
  question: Question = {},
): Promise<ListPart<z.infer<T>>> {
  const response = await askServer(path, question);
  const entries = await readAnswer(response, z.array(entry));
  const total = Number(response.headers.get("x-total-count") ?? entries.length);
  return { entries, total: Number.isSafeInteger(total) ? total : entries.length };
}

/** Validates the JSON of a response. @throws ApiError API_SHAPE */
export async function readAnswer<T extends z.ZodMiniType>(
  response: Response,
  schema: T,
): Promise<z.infer<T>> {
  try {
    return schema.parse(await response.json());
  } catch (error) {
    const what = error instanceof z.core.$ZodError ? z.prettifyError(error) : String(error);
    throw new ApiError("API_SHAPE", what.slice(0, 500), { status: response.status, cause: error });
  }
}

/**
 * The server's reason for a refusal: the field `error` of its JSON, else the first 500 characters of the body, else the
 * status text.
 */
async function refusalText(response: Response): Promise<string> {
  const text = (await response.text().catch(() => "")).trim();
  try {
    return refusal.parse(JSON.parse(text)).error;
  } catch {
    return text.slice(0, 500) || response.statusText;
  }
}
