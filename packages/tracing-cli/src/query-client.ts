import { bodyOf } from "./body-of.ts";
import { CliError } from "./cli-error.ts";
import type { OptionValues } from "./command.ts";

/**
 * Maximum number of bytes of an answer that is read as a whole: 256 MiB. Streams have a limit for each event instead.
 */
const maxAnswerBytes = 256 * 1024 * 1024;
/** Maximum number of printed characters of an error text, because a proxy may answer with a whole page. */
const maxFailure = 2_000;

/** Parameters of a request. Undefined values are left out. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

/** Address of tracing-query, and headers that identify the user. */
export interface ClientSettings {
  /** Address with the base path, without a final slash. */
  readonly url: string;
  /** Headers of each request, names in lower case: the tenant, and the headers of `--header`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts running requests when the user stops the program. */
  readonly signal: AbortSignal;
}

/** The header of an answer that lacks a part of the store: JSON with a `text` for each part. */
const partialHeader = "x-tracing-partial";

/** Sends requests to tracing-query over HTTP. */
export class QueryClient {
  readonly #settings: ClientSettings;
  readonly #warn: (text: string) => void;
  readonly #told = new Set<string>();
  #partialAnswers = 0;

  /** @param warn called when an answer lacks a part of the store, but only once for the same reasons */
  constructor(settings: ClientSettings, warn: (text: string) => void) {
    this.#settings = settings;
    this.#warn = warn;
  }

  /** Number of answers so far that lack a part of the store. */
  get partialAnswers(): number {
    return this.#partialAnswers;
  }

  /**
   * The parsed answer to a GET. Its type is not checked: servers of the same release answer in this form.
   * @throws CliError when the request fails, or the answer is not JSON
   */
  async json<Answer>(path: string, parameters: Parameters = {}): Promise<Answer> {
    return await this.#parsed(path, await this.open(path, parameters, "application/json"));
  }

  /** The parsed answer to a POST of JSON, otherwise like `json`. */
  async post<Answer>(path: string, body: unknown): Promise<Answer> {
    const headers = { "content-type": "application/json", accept: "application/json" };
    const response = await this.#fetched(path, { method: "POST", headers, body: JSON.stringify(body) });
    return await this.#parsed(path, response);
  }

  async #parsed<Answer>(path: string, response: Response): Promise<Answer> {
    const text = await bodyOf(response, maxAnswerBytes);
    try {
      return JSON.parse(text) as Answer;
    } catch (error) {
      throw new CliError(
        `${this.#settings.url}${path} does not answer in JSON: is it the address of tracing-query?`,
        1,
        { cause: error },
      );
    }
  }

  /**
   * The answer to a GET, after the status 200 and before its body is read. Redirects are not followed: they lead to
   * login pages, whose HTML would confuse users more than the status.
   * @param accept requested media type
   * @throws CliError when the server does not answer, or answers with another status
   */
  async open(path: string, parameters: Parameters, accept: string): Promise<Response> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) {
        query.set(name, String(value));
      }
    }
    return await this.#fetched(query.size === 0 ? path : `${path}?${query}`, { headers: { accept } });
  }

  /** Sends a request, and checks its status. @throws CliError */
  async #fetched(
    target: string,
    { headers: own, ...parts }: { method?: string; body?: string; headers: Record<string, string> },
  ): Promise<Response> {
    const { url, headers, signal } = this.#settings;
    let response: Response;
    try {
      response = await fetch(`${url}${target}`, {
        ...parts,
        ...{ headers: { ...headers, ...own }, signal, redirect: "manual" },
      });
    } catch (error) {
      if (signal.aborted) {
        throw error;
      }
      const { cause } = error as Error & { readonly cause?: Error & { readonly code?: string } };
      throw new CliError(`${url} does not answer: ${cause?.code ?? cause?.message ?? String(error)}`, 1, {
        cause: error,
      });
    }
    this.#notePartial(response.headers.get(partialHeader));
    if (response.status !== 200) {
      throw new CliError(`${url}${target.split("?", 1)[0]}: ${response.status} ${await failureOf(response)}`);
    }
    return response;
  }

  /**
   * Counts answers that lack a part of the store. Each reason is printed only once, not for each trace of an export.
   */
  #notePartial(header: string | null): void {
    if (header === null) {
      return;
    }
    this.#partialAnswers++;
    const why = reasonsOf(header);
    if (!this.#told.has(why)) {
      this.#told.add(why);
      this.#warn(`a part of the store did not answer, so something may be missing: ${why}`);
    }
  }
}

/** The texts in the header; the header itself if it is cut or has another form. */
function reasonsOf(header: string): string {
  try {
    const reasons = JSON.parse(header) as readonly { readonly text?: string }[];
    return reasons.map(({ text = "" }) => text).join("; ");
  } catch {
    return header;
  }
}

/** The members in which our APIs give the reason of a failure. */
interface FailureBody {
  readonly detail?: string;
  readonly title?: string;
  readonly message?: string;
  readonly error?: { readonly message?: string };
  readonly errors?: readonly { readonly msg?: string }[];
}

/**
 * The reason of a failed request, from any form of our APIs: problem details, envelope, gateway, plain text.
 * The first present member wins: `detail`, `error.message`, `errors[0].msg`, `message`, `title`.
 */
async function failureOf(response: Response): Promise<string> {
  if (response.status >= 300 && response.status < 400) {
    return `leads to ${response.headers.get("location")}: give that address, or what logs you in, with --url and --header`;
  }
  const text = await bodyOf(response, 1024 * 1024);
  let body: FailureBody;
  try {
    body = JSON.parse(text) as FailureBody;
  } catch {
    return text.trim().slice(0, maxFailure) || response.statusText;
  }
  const message =
    body?.detail ?? body?.error?.message ?? body?.errors?.[0]?.msg ?? body?.message ?? body?.title;
  return (message ?? text).slice(0, maxFailure);
}

/**
 * Address and headers, from options and variables. Options take precedence.
 *
 * | setting | option | variable | default |
 * |---|---|---|---|
 * | address | `--url` | TRACING_URL | `http://localhost:16686` |
 * | tenant | `--tenant` | TRACING_TENANT | none |
 * | headers | `--header`, several | | none |
 *
 * The value of a faulty `--header` is not printed, because it may be a password.
 * @throws CliError with exit code 2 for an invalid address or header
 */
export function clientSettings(
  values: OptionValues,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): ClientSettings {
  const url = (values.text("url") || environment.TRACING_URL || "http://localhost:16686").replace(/\/+$/, "");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CliError(`--url: ${JSON.stringify(url)} is no address such as http://localhost:16686`, 2);
  }
  const headers: Record<string, string> = { "user-agent": "tracing" };
  const tenant = values.text("tenant") || environment.TRACING_TENANT;
  if (tenant) {
    headers["x-tenant"] = tenant;
  }
  for (const line of values.list("header")) {
    const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new CliError(`--header: ${JSON.stringify(line.split(":")[0])} is no "Key: value"`, 2);
    }
    headers[name.toLowerCase()] = value;
  }
  return { url, headers, signal };
}
