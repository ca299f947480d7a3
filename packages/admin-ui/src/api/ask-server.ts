import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { notePresence } from "./server-presence.ts";

/** How long a read may take, in milliseconds. A shorter limit would call a busy server gone. */
const readTimeoutMs = 15_000;
/**
 * How long a change may take, in milliseconds: the server drains the old config and starts the new one
 * first.
 */
const changeTimeoutMs = 120_000;

/** The body of a refusal: `{"error": "unknown field \"lisen\""}`. */
const refusal = z.object({ error: z.string() });

/** The parts of a request beside its path. */
export interface Question {
  /** Default: GET. Any other method gets the longer time limit of changes. */
  method?: "GET" | "POST" | "PATCH";
  /** Fields of the request; none by default. */
  headers?: Record<string, string>;
  /** The body as text; absent for none. */
  body?: string;
  /** Error statuses that count as answers. */
  accept?: readonly number[];
  /** Aborts the request, when the page is gone. Then the abort error is thrown unchanged. */
  signal?: AbortSignal | undefined;
}

/**
 * Asks the admin API of the server that gave this page, and notes whether it answered at all.
 * @param path from the root: `/config/`
 * @throws ApiError `API_UNREACHABLE` without an answer or after the time limit, else by the status
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

/** Like {@link askServer}, and checks the JSON of the answer. @throws ApiError API_SHAPE too */
export async function askJson<T extends z.ZodMiniType>(
  path: string,
  schema: T,
  question: Question = {},
): Promise<z.infer<T>> {
  return readAnswer(await askServer(path, question), schema);
}

/** A part of a list, and how many entries all parts have. */
export interface ListPart<Entry> {
  /** The entries of this part, in the server's order. */
  entries: readonly Entry[];
  /** Entries of all parts, by the field `X-Total-Count`. */
  total: number;
}

/** Like {@link askJson}, for a paged list. A server that sends the whole list sends no total. @throws ApiError */
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

/** The JSON of an answer, checked. @throws ApiError API_SHAPE */
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
 * The server's reason in a refusal: the field `error` of its JSON, else the first 500 characters of the
 * body, else the status text.
 */
async function refusalText(response: Response): Promise<string> {
  const text = (await response.text().catch(() => "")).trim();
  try {
    return refusal.parse(JSON.parse(text)).error;
  } catch {
    return text.slice(0, 500) || response.statusText;
  }
}
