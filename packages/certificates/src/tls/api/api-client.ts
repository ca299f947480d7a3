import { setTimeout as wait } from "node:timers/promises";
import { messageOf, ServerError } from "server-core/errors";
import { readWithin } from "server-core/net/read-within";
import type { Dispatcher } from "undici";
import type { z } from "zod";
import { openDispatcher } from "../open-dispatcher.ts";

/** Size limit of a response. The records of a zone come in pages, or from some providers in one document. */
const maxAnswerBytes = 16 * 1024 * 1024;
/** Time limit of one attempt, from the connection to the end of the response. */
const timeoutMs = 30_000;
const maxAttempts = 4;
const firstPauseMs = 1_000;
/**
 * Longest pause in milliseconds; for a longer pause the caller gets an error, because certificates are attempted again
 * later anyway.
 */
const maxPauseMs = 30_000;
/** Statuses of a provider that is too busy and has changed nothing, so that the request may be sent again. */
const laterStatuses = new Set([429, 502, 503, 504]);
const maxShownChars = 300;

/** A request to a provider's API. */
export interface ApiCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the base, starting with a slash; {@link pathOf} must escape its variable parts. */
  readonly path: string;
  /**
   * Query parameters. Error messages never contain them, because for some providers the secret is a query parameter.
   */
  readonly query?: Readonly<Record<string, string>>;
  /** Header fields in addition to the fields of `authorize`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body: an object is sent as JSON, a text unchanged, with the Content-Type in `headers`. */
  readonly body?: object | string;
}

/** The provider's answer with any status. */
export interface ApiAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, at most 16 MiB. */
  readonly text: string;
}

/** Settings of the client, which depend on the provider. */
export interface ApiOptions {
  /** Name of the provider in errors: `cloudflare`. */
  readonly name: string;
  /** Base URL of the API, without a slash at the end. */
  readonly base: string;
  /**
   * Headers that authorize a request. They are computed for every attempt, because some contain a signature with the
   * time.
   */
  readonly authorize?: (
    call: ApiCall,
    url: URL,
    body: string | undefined,
  ) => Record<string, string> | Promise<Record<string, string>>;
  /**
   * Finds the reason in the text of a refusal. Default: `error.message`, `message`, `error` or `detail` of a JSON text,
   * or else the first characters of the text.
   */
  readonly reasonOf?: (text: string) => string | undefined;
}

/** A path of escaped parts; the name of a zone or record therefore cannot lead to another path. */
export function pathOf(...parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/** A provider's text for a log: without control characters, and short. */
function shown(text: string): string {
  return text
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, maxShownChars);
}

function messageIn(text: string): string | undefined {
  try {
    const { message, error, detail } = JSON.parse(text) as Record<string, unknown>;
    const inner = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
    if (typeof inner.message === "string") {
      return typeof inner.code === "string" ? `${inner.message} (${inner.code})` : inner.message;
    }
    return [message, error, detail].find((each) => typeof each === "string");
  } catch {
    return undefined;
  }
}

/** @returns milliseconds; undefined when the provider sets no pause */
function askedPauseMs({ headers }: ApiAnswer): number | undefined {
  const text = String(headers["retry-after"] ?? "");
  if (text === "") {
    return undefined;
  }
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/**
 * Sends requests to the HTTP API of a DNS provider. When the provider is too busy, a request is repeated; it is sent at
 * most four times in all.
 */
export class ApiClient {
  readonly #options: ApiOptions;
  #dispatcher: Promise<Dispatcher> | undefined;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  async close(): Promise<void> {
    await (await this.#dispatcher)?.close();
  }

  /**
   * The response, parsed as JSON.
   * @throws ServerError ACME for any status but 2xx, and for a response that does not match `schema`
   */
  async json<Schema extends z.ZodType>(schema: Schema, call: ApiCall): Promise<z.infer<Schema>> {
    return this.read(schema, call, await this.ask(call));
  }

  /** Like {@link json}, but returns undefined for 404. */
  async find<Schema extends z.ZodType>(schema: Schema, call: ApiCall): Promise<z.infer<Schema> | undefined> {
    const answer = await this.ask(call, [404]);
    return answer.status === 404 ? undefined : this.read(schema, call, answer);
  }

  /** Parses a response as JSON. @throws ServerError ACME for a response that does not match `schema` */
  read<Schema extends z.ZodType>(
    schema: Schema,
    call: ApiCall,
    { status, text }: ApiAnswer,
  ): z.infer<Schema> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw this.error(call, `an answer (${status}) that is no JSON: ${shown(text)}`);
    }
    const read = schema.safeParse(value);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw this.error(
        call,
        `an answer (${status}) of another shape: ${issue?.path.join(".")}: ${issue?.message}`,
      );
    }
    return read.data;
  }

  /**
   * @param expected accepted statuses in addition to 2xx
   * @throws ServerError ACME with the provider's reason
   */
  async ask(call: ApiCall, expected: readonly number[] = []): Promise<ApiAnswer> {
    for (let attempt = 1, pauseMs = firstPauseMs; ; attempt++, pauseMs *= 2) {
      const answer = await this.#try(call);
      if (Math.floor(answer.status / 100) === 2 || expected.includes(answer.status)) {
        return answer;
      }
      const nextMs = askedPauseMs(answer) ?? pauseMs;
      if (!laterStatuses.has(answer.status) || attempt >= maxAttempts || nextMs > maxPauseMs) {
        const reason = this.#options.reasonOf?.(answer.text) ?? messageIn(answer.text) ?? answer.text;
        throw this.error(call, `${answer.status}: ${shown(reason)}`);
      }
      await wait(nextMs);
    }
  }

  /** An error that names the provider and the failed request. */
  error({ method, path }: ApiCall, reason: string): ServerError {
    return new ServerError("ACME", `${this.#options.name}: ${method} ${path}: ${reason}`);
  }

  async #try(call: ApiCall): Promise<ApiAnswer> {
    const { base, authorize } = this.#options;
    const url = new URL(`${base}${call.path}`);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      url.searchParams.append(name, value);
    }
    const body = typeof call.body === "object" ? JSON.stringify(call.body) : call.body;
    try {
      const { request } = await import("undici"); // loaded on first use, because most starts never need it
      this.#dispatcher ??= openDispatcher([], undefined);
      const answer = await request(url, {
        method: call.method,
        headers: {
          accept: "application/json",
          ...(typeof call.body === "object" ? { "content-type": "application/json" } : {}),
          ...call.headers,
          ...(await authorize?.(call, url, body)),
        },
        ...(body === undefined ? {} : { body }),
        dispatcher: await this.#dispatcher,
        signal: AbortSignal.timeout(timeoutMs),
      });
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text: (await readWithin(answer.body, maxAnswerBytes)).toString(),
      };
    } catch (error) {
      throw this.error(call, messageOf(error));
    }
  }
}
