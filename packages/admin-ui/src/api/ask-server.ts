import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { notePresence } from "./server-presence.ts";

/** How long a question may take, in milliseconds. A change may take longer: the server drains and starts. */
const readTimeoutMs = 15_000;
const changeTimeoutMs = 120_000;

const refusal = z.object({ error: z.string() });

/** The parts of a request beside its path. */
export interface Question {
  method?: "GET" | "POST" | "PATCH";
  headers?: Record<string, string>;
  body?: string;
  /** Statuses of refusals that are answers all the same. */
  accept?: readonly number[];
  signal?: AbortSignal | undefined;
}

/**
 * Asks the admin API of the server that gave this page.
 * @param path from the root: `/config/`
 * @throws ApiError
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

/** As {@link askServer}, with the JSON of the answer checked. @throws ApiError API_SHAPE too */
export async function askJson<T extends z.ZodMiniType>(
  path: string,
  schema: T,
  question: Question = {},
): Promise<z.infer<T>> {
  return readAnswer(await askServer(path, question), schema);
}

/** A part of a list, and how many entries all parts have. */
export interface ListPart<Entry> {
  entries: readonly Entry[];
  total: number;
}

/** As {@link askJson}, for a list that is given in parts. A server that gives it whole says no number. @throws ApiError */
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

async function refusalText(response: Response): Promise<string> {
  const text = (await response.text().catch(() => "")).trim();
  try {
    return refusal.parse(JSON.parse(text)).error;
  } catch {
    return text.slice(0, 500) || response.statusText;
  }
}
